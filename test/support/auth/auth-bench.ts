import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { appSecrets } from '../../../src/auth/app-secrets.ts';
import { newKey } from '../../../src/auth/encryption/key-file.ts';
import { createSecrets } from '../../../src/auth/encryption/secrets.ts';
import { createTokens, type TokenClaims } from '../../../src/auth/tokens.ts';
import type { Config } from '../../../src/config/config.ts';
import type { MemberRole } from '../../../src/core/roles.ts';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { newId } from '../../../src/database/ids.ts';
import { borrowDatabase } from '../database/shared-database.ts';

export const secrets = createSecrets([newKey()]);
export const unauthorized = expect.objectContaining({ code: 'unauthorized', status: 401 });
export const expired = expect.objectContaining({ code: 'token_expired', status: 401 });
export const start = new Date('2026-03-01T12:00:00Z').getTime();

export let handle: DatabaseHandle;
/** Epoch milliseconds; stopped, except for `advanceClock`. */
export let time: number;
/** An admin of a new workspace in each test, with a new email address. */
export let member: TokenClaims;
export let email: string;

/** Gives a test file a database, and each test a member and no signing key. */
export function useAuth(): void {
  beforeAll(async () => {
    handle = await borrowDatabase();
  });
  afterAll(() => handle.close());
  beforeEach(async () => {
    time = start;
    email = `k${randomBytes(6).toString('hex')}@example.com`;
    await handle.client.signingKey.deleteMany();
    member = await addMember(newId('workspace'), 'admin', email);
  });
}

export const advanceClock = (seconds: number) => {
  time += seconds * 1000;
};
/** The token service of one replica. */
export const replica = (config: Partial<Config> = {}) =>
  createTokens({
    config: { publicUrl: null, oidc: null, maxTokenSeconds: 86_400, ...config },
    database: handle.client,
    secrets,
    now: () => new Date(time),
  });

export async function addMember(workspaceId: string, role: MemberRole, address: string): Promise<TokenClaims> {
  const { client } = handle;
  await client.workspace.upsert({ where: { id: workspaceId }, create: { id: workspaceId, name: 'W' }, update: {} });
  const create = { id: newId('user'), name: 'N', email: address };
  const user = await client.user.upsert({
    where: { email_invitedTo: { email: address, invitedTo: '' } },
    create,
    update: {},
  });
  const membershipId = newId('membership');
  await client.membership.create({ data: { id: membershipId, workspaceId, userId: user.id, role } });
  return { workspaceId, userId: user.id, membershipId, role, credential: 'operator' };
}

export async function addApp(workspaceId: string) {
  const { secret, secretHash } = appSecrets.create();
  const data = {
    workspaceId,
    id: 'crm',
    name: 'CRM',
    color: '#000000',
    secretCipher: secrets.encrypt(secret),
    secretHash,
  };
  await handle.client.app.create({ data });
  return secret;
}

export const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function partsOf(
  token: string,
): [header: Record<string, string>, payload: Record<string, never> & { exp: number }, string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return [decode(header), decode(payload), signature];
}
