import { forbidden } from './errors.ts';
import type { Role, Viewer } from './viewer.ts';

const owner: Role[] = ['owner'];
const admins: Role[] = [...owner, 'admin'];
const editors: Role[] = [...admins, 'editor', 'app'];
/** Members who build agents. Apps are left out: an app may be behind a page that anybody can open. */
const persons: Role[] = [...admins, 'editor'];
const everyone: Role[] = [...editors, 'viewer'];
/** Members of any role. */
const members: Role[] = [...persons, 'viewer'];

/**
 * The roles that hold each permission, for GraphQL and REST alike. All others get 403 `forbidden`. `npm run print`
 * prints the table into docs/permissions.md.
 */
export const permissions = {
  'agents.read': everyone,
  'agents.write': editors,
  'agents.delete': admins,
  'channels.read': everyone,
  'channels.write': editors,
  // Makes a secret that lets a site say who its users are.
  'channels.secret': editors,
  'conversations.read': everyone,
  'conversations.write': editors,
  // Takes over from the agent and writes in its place, as a person.
  'conversations.answer': editors,
  'conversations.delete': admins,
  // A widget's visitor may write in its own conversations only, and has no other permission.
  'messages.send': [...editors, 'visitor'],
  'traces.read': persons,
  // A provider's error messages may reveal the operator's account with it.
  'traces.failures': owner,
  // Aggregates over lists, including cost and reply time, but no rows, texts or personal data.
  'analytics.read': [...persons, 'viewer'],
  'leads.read': everyone,
  'leads.write': editors,
  'leads.delete': editors,
  'fields.read': everyone,
  'fields.write': editors,
  'plugins.read': everyone,
  'plugins.write': editors,
  'credentials.read': editors,
  'credentials.write': editors,
  // Consents to a plugin in somebody's name.
  'credentials.authorize': editors,
  'bases.read': everyone,
  'bases.write': editors,
  'bases.delete': editors,
  'evaluations.read': everyone,
  'evaluations.write': editors,
  'usage.read': everyone,
  'settings.read': everyone,
  'settings.write': admins,
  'retention.write': admins,
  'workspace.write': admins,
  'apps.read': everyone,
  'apps.write': admins,
  'apps.secret': admins,
  'apps.auth': [...admins, 'app'],
  'roles.read': everyone,
  'roles.write': admins,
  'webhooks.read': persons,
  'webhooks.write': admins,
  'keys.read': members,
  'keys.write': members,
  'memberships.read': everyone,
  'memberships.write': admins,
  'owners.write': owner,
  'audit.read': owner,
  'erasures.read': admins,
  'erasures.write': admins,
  'subscriptions.read': everyone,
  'subscriptions.write': admins,
  'content.read': everyone,
  'content.write': editors,
  'operations.read': everyone,
  // What a key that is limited to saved operations may run is what members have saved.
  'operations.write': persons,
} satisfies Record<string, Role[]>;

export type Permission = keyof typeof permissions;

export const isPermission = (name: unknown): name is Permission =>
  typeof name === 'string' && Object.hasOwn(permissions, name);

/** What no key may do, whoever created it: create other credentials, add members, or act as a person. */
export const ofMembers: readonly Permission[] = [
  'keys.read',
  'keys.write',
  'apps.write',
  'apps.secret',
  'apps.auth',
  'roles.write',
  'memberships.write',
  'owners.write',
  'channels.secret',
  'conversations.answer',
  'credentials.authorize',
];

/**
 * Who may use a root field: the roles with a permission, or, without one, everyone, a person with their own token, or
 * the invited person.
 */
export type Access = Permission | 'everyone' | 'persons' | 'invitees';

/** Field extension that says who may use a root field; the permission tests and docs/permissions.md derive from it. */
export const access = (access: Access): { parleyAccess: Access } => ({ parleyAccess: access });

/** Whether the viewer's role has the permission and, for a key, it may be a scope and is one of the key's. */
export const may = ({ role, key }: Pick<Viewer, 'role' | 'key'>, permission: Permission): boolean =>
  (permissions[permission] as readonly Role[]).includes(role) &&
  (!key || (key.scopes.includes(permission) && !ofMembers.includes(permission)));
/**
 * Field extension with the permission that a nested field requires in addition to its parent's; without it the field
 * fails with 403 `forbidden`.
 */
export const needs = (permission: Permission): { parleyNeeds: Permission } => ({ parleyNeeds: permission });

/** Throws 403 `forbidden` unless the viewer has the permission, as `may` defines it. */
export function permit({ viewer }: { viewer: Viewer }, permission: Permission): void {
  if (may(viewer, permission)) return;
  const [what, verb] = permission.split('.');
  if (viewer.key && may({ role: viewer.role }, permission)) {
    throw forbidden(
      ofMembers.includes(permission)
        ? `A key may not do this (${what}: ${verb}): use the token of a member.`
        : `This key may not do this: it lacks the scope ${permission}. Create a key that has it with the GraphQL mutation createKey.`,
    );
  }
  throw forbidden(
    `The role ${viewer.role} may not do this (${what}: ${verb}). Allowed roles: ${permissions[permission].join(', ')}.`,
  );
}

/**
 * Whether the viewer is an owner with a token of their own: not with a key or through an app, which others may use too.
 */
export const isOwnerWithOwnToken = ({ role, credential }: Pick<Viewer, 'role' | 'credential'>): boolean =>
  role === 'owner' && (credential === 'person' || credential === 'operator');

/** The permissions that a key may have as scopes, in the order of the table. */
export const keyScopes: readonly Permission[] = (Object.keys(permissions) as Permission[]).filter(
  (permission) => !ofMembers.includes(permission),
);

/** Permissions for rows that belong to agents or bases, and for the descriptions of their values. */
const ofAgentsAndBases =
  /^(agents|analytics|bases|channels|conversations|credentials|evaluations|fields|leads|messages|settings|traces)\./;

/** The scopes of a key that is limited to some agents or bases: none that reveals data of the whole workspace. */
export const limitedKeyScopes: readonly Permission[] = keyScopes.filter((scope) => ofAgentsAndBases.test(scope));

/** Whether a key has a scope by default: all that are read-only, except to read secrets in clear. */
export const isDefaultScope = (scope: Permission): boolean => scope.endsWith('.read') && scope !== 'credentials.read';
