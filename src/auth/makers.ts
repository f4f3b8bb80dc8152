import { unauthorized } from '../core/errors.ts';
import { lesser, type MemberRole } from '../core/roles.ts';
import type { Database } from '../database/client.ts';
import { allowanceOf } from './app-allowance.ts';

/** Who made a token by POST /apps/auth: a member, or an app with the secret that it then had. */
export type Maker = { membershipId: string } | { appId: string; secretVersion: string };

/** Tells one secret of an app from another, and tells nothing of the secret itself: it is a part of its hash. */
export const secretVersionOf = (secretHash: string): string => secretHash.slice(0, 16);

type Made = { workspaceId: string; membershipId: string; app?: string; secret?: string; maker?: string };

/**
 * The highest role that the maker of a token may give its member now. Throws 401 when the maker is gone, the app's secret
 * was replaced, or the app may get no token for this member any more.
 */
export async function limitOf(database: Database, { app, maker, ...made }: Made): Promise<MemberRole> {
  const byApp = app ? await limitOfApp(database, app, made) : 'owner';
  return maker ? lesser(byApp, await limitOfMember(database, maker, made)) : byApp;
}

async function limitOfMember(database: Database, id: string, { workspaceId }: Made): Promise<MemberRole> {
  const where = { workspaceId_id: { workspaceId, id } };
  const member = await database.membership.findUnique({ where, select: { role: true } });
  if (!member) throw unauthorized('The member who made this token is no member any more.');
  return member.role;
}

async function limitOfApp(database: Database, id: string, made: Omit<Made, 'app' | 'maker'>): Promise<MemberRole> {
  const { workspaceId, membershipId, secret } = made;
  const found = await findAppRules(database, { workspaceId, appId: id, membershipId });
  if (!found) throw unauthorized('The app that this token was made for no longer exists.');
  // Tokens of before the version was told have none; they last an hour.
  if (secret !== undefined && found.secretVersion !== secret) {
    throw unauthorized('The secret of the app that made this token was replaced: get a token with the new one.');
  }
  if (!found.most) throw unauthorized('The app that made this token may get none for this member any more.');
  return found.most;
}

/** What an app may get for a member now, and the version of its secret; null when there is no such app. */
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
  return { secretVersion: secretVersionOf(app.secretHash), record, most: allowanceOf(app, record) };
}
