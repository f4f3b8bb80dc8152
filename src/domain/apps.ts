import { z } from 'zod';
import { newAppSecret } from '../auth/app-secrets.ts';
import { may, permit } from '../auth/permissions.ts';
import { exceeds } from '../auth/roles.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../database/found.ts';
import type { App, Prisma } from '../database/generated/prisma/client.ts';
import { kindOfId } from '../database/ids.ts';
import { listRule } from '../database/list.ts';
import { change } from '../database/write.ts';
import { conflict, forbidden } from '../errors.ts';
import { hexColor, parseInput, requiredText } from './input.ts';
import { memberRole } from './memberships.ts';
import { rowWithId, writing } from './mutations.ts';

export const appList = listRule({
  model: 'App',
  permission: 'apps.read',
  // REST answers the apps as one array.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' }, name: { type: 'text' } },
  filters: { internal: { kind: 'equals', column: 'internal' } },
});

/** Apps are the only rows whose ids callers give: theirs must not be taken for one of ours. */
const appId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must have 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
  )
  .refine((id) => kindOfId(id) === null, 'has the form of the ids that the service makes: choose another');

const redirectUri = z
  .string()
  .max(2_000, 'must have at most 2000 characters')
  .refine(isRedirectUri, 'must be an absolute address without a fragment, such as https://example.com/callback');

const appChange = z.object({
  name: requiredText().optional(),
  color: hexColor.optional(),
  redirectUris: z.array(redirectUri).max(50, 'must have at most 50 items').optional(),
  roles: z.array(z.unknown()).max(200, 'must have at most 200 items').optional(),
  internal: z.boolean().optional(),
});
const appInput = appChange.extend({ id: appId, name: requiredText(), color: hexColor.default('#2563eb') });

/** Registers an app under the id given. Throws 409 `conflict` when the workspace has one with it. */
export async function createApp(context: Context, input: z.input<typeof appInput>): Promise<App> {
  permit(context, 'apps.write');
  const { roles, ...data } = parseInput(appInput, input);
  const [app] = await context.database.app.createManyAndReturn({
    data: { ...data, ...json({ roles }), ...sealedSecret(context), workspaceId: context.viewer.workspaceId },
    skipDuplicates: true,
  });
  if (!app) throw conflict(`id: the workspace has an app "${data.id}" already.`);
  return app;
}

/** Changes what is given of an app; the rest stays. Throws 404. */
export const updateApp = writing({
  model: 'App',
  prepare: (context, { id, ...input }: z.input<typeof appChange> & { id: string }) => {
    permit(context, 'apps.write');
    const { roles, ...data } = parseInput(appChange, input);
    return change('App', rowWithId(context, id), { ...data, ...json({ roles }) });
  },
});

/** Gives an app a new secret; the old one stops working at once. */
export async function rotateAppSecret(context: Context, id: string): Promise<App> {
  permit(context, 'apps.write');
  const change = context.database.app.update({ where: key(context, id), data: sealedSecret(context) });
  const app = await orNotFound('App', change);
  context.tokens.forget();
  return app;
}

/** Removes an app with its role records. Throws 409 `conflict` while subscriptions refer to it. */
export async function deleteApp(context: Context, id: string): Promise<void> {
  permit(context, 'apps.write');
  await orNotFound('App', context.database.app.delete({ where: key(context, id) }));
  context.tokens.forget();
}

const authentication = z.object({ userId: z.string(), role: memberRole, tenantId: z.string() });

/**
 * An access token for a member of the caller's workspace (`tenantId`), with at most the member's role; it stops working
 * with the app that asked for it. Throws 403 for another workspace, for no member, and for a role beyond the member's.
 */
export async function authenticateApp(context: Context, input: z.input<typeof authentication>): Promise<string> {
  permit(context, 'apps.auth');
  const { database, tokens, viewer } = context;
  const { userId, role, tenantId: workspaceId } = parseInput(authentication, input);
  if (workspaceId !== viewer.workspaceId) throw forbidden('tenantId: is not the workspace of this bearer.');
  const where = { workspaceId_userId: { workspaceId, userId } };
  const member = await database.membership.findUnique({ where, select: { id: true, role: true, acceptedAt: true } });
  if (!member?.acceptedAt) throw forbidden('userId: is not a member of the workspace who has accepted.');
  if (exceeds(role, member.role))
    throw forbidden(`role: this member is ${member.role}, so a token cannot be for ${role}.`);
  const appId = viewer.appId ?? undefined;
  return tokens.sign({ workspaceId, userId, membershipId: member.id, role, credential: 'minted', appId });
}

/** An app's secret as the viewer may see it: in full, or its last four characters. */
export function shownSecret({ secrets, viewer }: Context, { secretCipher }: App): string {
  const secret = secrets.decrypt(secretCipher);
  return may(viewer.role, 'apps.secret') ? secret : `${secret.slice(0, 4)}••••${secret.slice(-4)}`;
}

function sealedSecret({ secrets }: Context) {
  const { secret, hash } = newAppSecret();
  return { secretCipher: secrets.encrypt(secret), secretHash: hash };
}

function isRedirectUri(text: string): boolean {
  const scheme = URL.parse(text)?.protocol;
  return scheme !== undefined && !['javascript:', 'data:', 'vbscript:'].includes(scheme) && !text.includes('#');
}

const json = ({ roles }: { roles?: unknown[] }) => roles && { roles: roles as Prisma.InputJsonArray };
const key = ({ viewer }: Context, id: string) => ({ workspaceId_id: { workspaceId: viewer.workspaceId, id } });
