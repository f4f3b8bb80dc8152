import { forbidden } from './errors.ts';
import type { Role, Viewer } from './viewer.ts';

const owner: Role[] = ['owner'];
const admins: Role[] = [...owner, 'admin'];
const editors: Role[] = [...admins, 'editor', 'app'];
/** Members who make agents; an app may stand behind a page that anybody opens. */
const persons: Role[] = [...admins, 'editor'];
const everyone: Role[] = [...editors, 'viewer'];
/** Members of whatever role. */
const members: Role[] = [...persons, 'viewer'];

/**
 * Who may do what: the one table, for GraphQL and REST alike. Whoever is missing from a line gets 403 `forbidden`.
 * `npm run print` prints it into docs/permissions.md.
 */
export const permissions = {
  'agents.read': everyone,
  'agents.write': editors,
  'agents.delete': admins,
  'channels.read': everyone,
  'channels.write': editors,
  'conversations.read': everyone,
  'conversations.write': editors,
  'conversations.delete': admins,
  // A visitor of a widget speaks in its own conversations alone, and has no other permission.
  'messages.send': [...editors, 'visitor'],
  'traces.read': persons,
  // What a provider says when it fails tells of the operator's account with it.
  'traces.failures': owner,
  // Counts and measures of lists, cost and reply time included, without rows, texts and what tells of persons.
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
  'bases.read': everyone,
  'bases.write': editors,
  'bases.delete': editors,
  'usage.read': everyone,
  'settings.read': everyone,
  'settings.write': admins,
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
  'subscriptions.read': everyone,
  'subscriptions.write': admins,
  'content.read': everyone,
  'content.write': editors,
} satisfies Record<string, Role[]>;

export type Permission = keyof typeof permissions;

/**
 * Who may use a root field of the graph: the holders of a permission, or, where no permission is asked for, everyone, a person
 * with a token of their own, or the person whom an invitation is for.
 */
export type Access = Permission | 'everyone' | 'persons' | 'invitees';

/** Says who may use a root field, as an extension of it: the tests of permissions and docs/permissions.md are made from that. */
export const access = (access: Access): { parleyAccess: Access } => ({ parleyAccess: access });

/** Whether a role has a permission, and the key, where one is asked with. */
export const may = ({ role, key }: Pick<Viewer, 'role' | 'key'>, permission: Permission): boolean =>
  (permissions[permission] as readonly Role[]).includes(role) && (!key || key.scopes.includes(permission));
/** Says of a field that is no root what it takes beside the row that it is of: whoever lacks it gets 403 `forbidden` for the field. */
export const needs = (permission: Permission): { parleyNeeds: Permission } => ({ parleyNeeds: permission });

/** Throws 403 `forbidden` unless the viewer's role has the permission, and the key, where one is asked with. */
export function permit({ viewer }: { viewer: Viewer }, permission: Permission): void {
  if (may(viewer, permission)) return;
  const [what, verb] = permission.split('.');
  if (viewer.key && may({ role: viewer.role }, permission)) {
    throw forbidden(`This key may not do this: it lacks the scope ${permission}. Make a key that has it (createKey).`);
  }
  throw forbidden(
    `The role ${viewer.role} may not do this (${what}: ${verb}). It takes one of: ${permissions[permission].join(', ')}.`,
  );
}
