import { keySecrets } from '../../../src/auth/keys/key-secrets.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import { newId } from '../../../src/database/ids.ts';
import type { Gateway } from '../gateway/app.ts';

type Given = {
  scopes: readonly string[];
  agentIds?: string[];
  baseIds?: string[];
  operations?: string[];
  ratePerMinute?: number | null;
  costPerMinute?: number | null;
  dashboardId?: string;
  expiresAt?: Date;
  revokedAt?: Date;
};

/** The secret of a member's new key, inserted without the rules of createKey. */
export async function makeKey({ database }: Gateway, maker: Viewer, given: Given): Promise<string> {
  const { workspaceId, membershipId } = maker;
  const { secret, secretHash } = keySecrets.create();
  const of = { id: newId('key'), workspaceId, membershipId: membershipId ?? '', name: 'Key', hint: secret.slice(-4) };
  const unlimited = { agentIds: [], baseIds: [] };
  // On a cluster, no trigger does it.
  await database.directory.create({ data: { key: secretHash, workspace: workspaceId } });
  await database.key.create({ data: { ...of, secretHash, ...unlimited, ...given, scopes: [...given.scopes] } });
  return secret;
}
