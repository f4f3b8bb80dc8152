import { unauthorized } from '../core/errors.ts';
import type { MemberRole } from '../core/roles.ts';
import type { MakerOfToken } from '../core/viewer.ts';
import type { Database } from '../database/client.ts';
import { allowanceOf } from './app-allowance.ts';

/** Who created a token by POST /apps/auth: a member, or an app with the secret that it had then. */
export type TokenMaker = { membershipId: string } | { appId: string; secretVersion: string };

/** Identifies a version of an app's secret without revealing it: a part of its hash. */
export const secretVersionOf = (secretHash: string): string => secretHash.slice(0, 16);

type MintedClaims = { workspaceId: string; membershipId: string; app?: string; secret?: string; maker?: string };

/**
 * Returns who created a token, and the highest role that they may give its member now. Throws 401 if the creator is
 * gone, the app's secret was replaced, or the app may no longer get a token for this member.
 */
export async function makerOfToken(
  database: Database,
  { app, maker, ...minted }: MintedClaims,
): Promise<{ highest: MemberRole; maker: MakerOfToken }> {
  if (app) return { highest: await limitOfApp(database, app, minted), maker: { kind: 'app', id: app } };
  // Tokens from before these claims do not name their creator.
  if (!maker) return { highest: 'owner', maker: { kind: 'member', id: null } };
  const where = { workspaceId_id: { workspaceId: minted.workspaceId, id: maker } };
  const member = await database.membership.findUnique({ where, select: { role: true, userId: true } });
  if (!member)
    throw unauthorized('The member who created this token is no longer a member: get a token from another one.');
  return { highest: member.role, maker: { kind: 'member', id: member.userId } };
}

async function limitOfApp(
  database: Database,
  id: string,
  minted: Omit<MintedClaims, 'app' | 'maker'>,
): Promise<MemberRole> {
  const { workspaceId, membershipId, secret } = minted;
  const found = await findAppRules(database, { workspaceId, appId: id, membershipId });
  if (!found)
    throw unauthorized('The app that this token was issued for no longer exists: get a token for another one.');
  // Tokens from before this claim have no version; they last an hour.
  if (secret !== undefined && found.secretVersion !== secret) {
    throw unauthorized('The secret of the app that created this token was replaced: get a token with the new secret.');
  }
  if (!found.highest)
    throw unauthorized(
      'The app that created this token may no longer get tokens for this member: use a token of another app or member.',
    );
  return found.highest;
}

/**
 * Returns the highest role that an app may get for a member now, and the version of its secret; null if there is no
 * such app.
 */
export async function findAppRules(
  database: Database,
  { workspaceId, appId: id, membershipId }: { workspaceId: string; appId: string; membershipId: string },
) {
  const app = await database.app.findUnique({
    where: { workspaceId_id: { workspaceId, id } },
    select: {
      secretHash: true,
      roles: true,
      ownersOnly: true,
      unrestricted: true,
      roleRecords: { where: { membershipId }, select: { role: true, enforced: true } },
    },
  });
  if (!app) return null;
  const [record = null] = app.roleRecords;
  return { secretVersion: secretVersionOf(app.secretHash), record, highest: allowanceOf(app, record) };
}
