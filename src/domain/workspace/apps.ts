import { z } from 'zod';
import { highestRoleIn } from '../../auth/app-allowance.ts';
import { appSecrets } from '../../auth/app-secrets.ts';
import type { Context } from '../../context.ts';
import { conflict, forbidden, notFound } from '../../core/errors.ts';
import { may } from '../../core/permissions.ts';
import type { Database, Transaction } from '../../database/client.ts';
import { addToDirectory } from '../../database/directory.ts';
import type { App, Prisma } from '../../database/generated/prisma/client.ts';
import { kindOfId } from '../../database/ids.ts';
import { change, insertionOrChange, removal } from '../../database/query/write.ts';
import { listRule } from '../../lists/list.ts';
import { hexColor, parseInput, requiredText } from '../shared/input.ts';
import { refuseMintedToken } from '../shared/minted-tokens.ts';
import { keyOfRow, rowWithId, rowWrite } from '../shared/mutations.ts';

export const appList = listRule({
  model: 'App',
  permission: 'apps.read',
  analytics: { except: ['name'] },
  // REST returns all apps as one array.
  maxPageSize: 1_000,
  orders: { createdAt: { type: 'date' }, name: { type: 'text' } },
  filters: {
    internal: { kind: 'equals', column: 'internal' },
    ids: { kind: 'in', column: 'id' },
    name: { kind: 'text', column: 'name' },
    createdAt: { kind: 'range', column: 'createdAt' },
    updatedAt: { kind: 'range', column: 'updatedAt' },
  },
});

/** Callers choose the ids of apps only: these must not look like generated ones. */
const appId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must have 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
  )
  .refine((id) => kindOfId(id) === null, 'has the form of the ids that the service generates: choose another');

const redirectUri = z
  .string()
  .max(2_000)
  .refine(isRedirectUri, 'must be an absolute address without a fragment, such as https://example.com/callback')
  .meta({ format: 'uri', pattern: '^(?!(?:javascript|data|vbscript):)[A-Za-z][A-Za-z0-9+.-]*:[^#]*$' });

const appChange = z.object({
  name: requiredText().optional(),
  color: hexColor.optional(),
  redirectUris: z.array(redirectUri).max(50).optional(),
  roles: z
    .array(z.unknown().meta({ not: { type: 'null' } }))
    .max(200)
    .optional(),
  internal: z.boolean().optional(),
});
export const appInput = appChange.extend({ id: appId, name: requiredText(), color: hexColor.default('#2563eb') });

/** What writes to an app have in common: `after` clears this replica's cache of tokens. */
const ofApp = {
  model: 'App',
  permission: 'apps.write',
  fallback: async (context: Context, { id }: { id: string }): Promise<never> => {
    await requireChangeable(context.database, context, id);
    throw notFound('App');
  },
  after: ({ tokens }: Context) => tokens.forget(),
} as const satisfies Partial<Parameters<typeof rowWrite<'App', { id: string }>>[0]>;

type SecretOfApp = Pick<App, 'id' | 'secretCipher' | 'ownersOnly' | 'unrestricted'>;

/**
 * Registers an app under the given id. Throws 400, 409 `conflict` if the id is taken, and 403 like `requireOwner` and
 * for a minted token.
 */
export const createApp = rowWrite({
  model: 'App',
  permission: 'apps.write',
  prepare: async (context, input: z.input<typeof appInput>) => {
    refuseMintedToken(context, 'create or replace the secret of an app', lasting);
    const { roles, ...data } = parseInput(appInput, input);
    const of = { ...(await sealedSecret(context)), workspaceId: context.viewer.workspaceId };
    const ifThere = { key: ['workspaceId', 'id'], update: null };
    return insertionOrChange('App', { ...data, ...rolesData(context, roles), ...of }, ifThere);
  },
  fallback: (_, { id }): App => {
    throw conflict(`id: the workspace already has an app "${id}".`);
  },
});

/** Updates the given properties of an app. Setting `roles` makes them binding. Throws 400, 403 and 404. */
export const updateApp = rowWrite({
  ...ofApp,
  prepare: (context, { id, ...input }: z.input<typeof appChange> & { id: string }) => {
    const { roles, ...data } = parseInput(appChange, input);
    const requestedRoles = rolesData(context, roles);
    const restricted = requestedRoles && { unrestricted: false };
    return change('App', changeable(context, id), { ...data, ...requestedRoles, ...restricted });
  },
});

/**
 * Replaces the secret of an app; the old one and the tokens it obtained are invalid at once. Throws 404, and 403 for a
 * minted token.
 */
export const rotateAppSecret = rowWrite({
  ...ofApp,
  prepare: async (context, { id }: { id: string }) => {
    refuseMintedToken(context, 'create or replace the secret of an app', lasting);
    return change('App', changeable(context, id), await sealedSecret(context));
  },
});

/**
 * Deletes an app with its role records and tokens. Throws 403, 404, and 409 `conflict` while subscriptions refer to it.
 */
export const deleteApp = rowWrite({
  ...ofApp,
  prepare: (context, { id }: { id: string }) => removal('App', changeable(context, id)),
});

/** Selects an app that the viewer may change. */
function changeable(context: Context, id: string) {
  return { ...rowWithId(context, id), ...(!isOwner(context) && { ownersOnly: false }) };
}

/** Throws 403 if the app is for owners only and the viewer is not one. */
export async function requireChangeable(store: Database | Transaction, context: Context, id: string): Promise<void> {
  const app = await store.app.findUnique({ where: keyOfRow(context, id), select: { ownersOnly: true } });
  if (app?.ownersOnly) requireOwner(context, `The app "${id}" can get tokens for owners: only an owner can change it.`);
}

/** Throws 403 `forbidden` with this message unless the viewer is an owner. */
export function requireOwner(context: Context, why: string): void {
  if (!isOwner(context)) throw forbidden(why);
}

const isOwner = ({ viewer }: Context): boolean => may(viewer, 'owners.write');

const lasting = 'a token that an owner or admin got from the identity provider or the operator';

/**
 * The secret of an app: in full, or its last four characters. An admin must not become an owner through an app that
 * gets tokens for owners, and a minted token must not lead to tokens that outlive it.
 */
export function visibleSecret(context: Context, app: SecretOfApp): string {
  const { secrets, viewer } = context;
  const secret = secrets.decrypt(app.secretCipher);
  const guarded = app.ownersOnly && !app.unrestricted && !isOwner(context);
  const isShown = may(viewer, 'apps.secret') && !guarded && !isMinted(context);
  return isShown ? secret : `${secret.slice(0, 4)}••••${secret.slice(-4)}`;
}

const isMinted = ({ viewer }: Context): boolean => viewer.credential === 'minted';

async function sealedSecret(context: Context) {
  const { secrets, viewer } = context;
  const { secret, secretHash } = appSecrets.create();
  await addToDirectory(context, viewer.workspaceId, [secretHash]);
  return { secretCipher: secrets.encrypt(secret), secretHash };
}

function isRedirectUri(text: string): boolean {
  const scheme = URL.parse(text)?.protocol;
  return scheme !== undefined && !['javascript:', 'data:', 'vbscript:'].includes(scheme) && !text.includes('#');
}

/** The columns that depend on an app's roles. Only owners may give roles that include owner. */
function rolesData(context: Context, roles: unknown[] | undefined) {
  if (!roles) return undefined;
  const ownersOnly = highestRoleIn(roles) === 'owner';
  if (ownersOnly) requireOwner(context, 'roles: include owner, which only an owner can give to an app.');
  return { roles: roles as Prisma.InputJsonArray, ownersOnly };
}
