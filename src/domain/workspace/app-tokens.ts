import { z } from 'zod';
import { findAppRules, type TokenMaker } from '../../auth/makers.ts';
import type { Context } from '../../context.ts';
import { forbidden, unauthorized } from '../../core/errors.ts';
import { permit } from '../../core/permissions.ts';
import { exceeds, lowerRole, type MemberRole } from '../../core/roles.ts';
import { recordToken } from '../../database/audit/record.ts';
import { parseInput } from '../shared/input.ts';
import { memberRole } from './memberships.ts';

const authentication = z.object({ userId: z.string(), role: memberRole, tenantId: z.string() });

/**
 * Issues an access token for a member of the caller's workspace (`tenantId`). Its role exceeds neither the member's nor
 * what the caller may give: a member their own role, an app what `allowanceOf` says. It is invalid as soon as either no
 * longer permits it. Throws 400, 401, and 403, also for a caller whose own token was issued here.
 */
export async function authenticateApp(context: Context, input: z.input<typeof authentication>): Promise<string> {
  permit(context, 'apps.auth');
  const { database, tokens, viewer } = context;
  const { userId, role, tenantId: workspaceId } = parseInput(authentication, input);
  if (viewer.credential === 'minted') {
    throw forbidden(
      'A token from POST /apps/auth cannot create another: use the secret of an app, or a token that an owner or admin got from the identity provider or the operator.',
    );
  }
  if (workspaceId !== viewer.workspaceId) throw forbidden('tenantId: is not the workspace of this bearer token.');
  const where = { workspaceId_userId: { workspaceId, userId } };
  const member = await database.membership.findUnique({ where, select: { id: true, role: true, acceptedAt: true } });
  if (!member?.acceptedAt) throw forbidden('userId: is not a member of the workspace who has accepted the invitation.');
  if (exceeds(role, member.role)) {
    throw forbidden(
      `role: this member is ${member.role}, so a token cannot grant ${role}: give the membership ${member.id} the role ${role} first, with the GraphQL mutation updateMember.`,
    );
  }
  const request = { role, membershipId: member.id };
  const maker = viewer.appId ? await makerApp(context, viewer.appId, request) : await makerMember(context, request);
  const token = await tokens.sign({ workspaceId, userId, ...request, credential: 'minted', maker });
  await recordToken(database, workspaceId, { id: member.id, role });
  return token;
}

type TokenRequest = { role: MemberRole; membershipId: string };

/** The caller as a current member; their token may have a lower role. */
async function makerMember({ database, viewer }: Context, { role }: TokenRequest): Promise<TokenMaker> {
  const { workspaceId, membershipId } = viewer;
  const where = { workspaceId_id: { workspaceId, id: membershipId ?? '' } };
  const maker = await database.membership.findUnique({ where, select: { id: true, role: true } });
  if (!maker)
    throw unauthorized('The member that this token was issued for no longer exists: get a token for another one.');
  const highest = lowerRole(viewer.role as MemberRole, maker.role);
  permit({ viewer: { ...viewer, role: highest } }, 'apps.auth');
  if (exceeds(role, highest)) {
    throw forbidden(
      `role: a bearer with the role ${highest} can grant at most that role: an owner must request this token, or make the membership ${maker.id} an owner with the GraphQL mutation updateMember.`,
    );
  }
  return { membershipId: maker.id };
}

async function makerApp(
  { database, viewer }: Context,
  appId: string,
  { role, membershipId }: TokenRequest,
): Promise<TokenMaker> {
  const { workspaceId, secretVersion } = viewer;
  const app = await findAppRules(database, { workspaceId, appId, membershipId });
  // The viewer may come from a cache that is seconds old.
  if (!app || app.secretVersion !== secretVersion)
    throw unauthorized('The secret of this app was replaced: use the new one.');
  if (!app.highest || exceeds(role, app.highest)) throw forbidden(tooMuch(appId, app, { role, membershipId }));
  return { appId, secretVersion };
}

type Rules = NonNullable<Awaited<ReturnType<typeof findAppRules>>>;

function tooMuch(appId: string, { record, highest }: Rules, { role, membershipId }: TokenRequest): string {
  const howToGrant = `give the membership ${membershipId} the role ${role} in the app with the GraphQL mutation setRole`;
  const by = role === 'owner' ? ' Only an owner can do this.' : '';
  if (record) {
    const has = highest ? `the role ${highest}` : 'no role';
    return `role: this member has ${has} in the app "${appId}", which therefore cannot get a token for ${role}: ${howToGrant}.${by}`;
  }
  return `role: the roles of the app "${appId}" allow tokens for at most ${highest}: ${howToGrant}, or add ${role} to the roles of the app with the GraphQL mutation updateApp.${by}`;
}
