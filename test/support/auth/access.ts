import { type Access, permissions } from '../../../src/core/permissions.ts';
import type { Role } from '../../../src/core/viewer.ts';
import { type Field, rootFields, roots } from '../graphql/shape.ts';

/** Who may use each root field, as declared in the schema. test/auth/permissions.test.ts checks that it holds. */
export const accessOf: Record<string, Access> = Object.fromEntries(
  roots.flatMap((root) => rootFields(root).map((field) => [field.name, accessTo(field)])),
);

function accessTo({ name, extensions }: Field): Access {
  if (!extensions.parleyAccess) throw new Error(`${name} does not say who may use it: extensions: access('….read')`);
  return extensions.parleyAccess as Access;
}

/** In ascending order of power. */
export const roles = ['viewer', 'app', 'editor', 'admin', 'owner'] as const satisfies Role[];

/** The roles that may use a root field. Fails for an unknown field. */
export function rolesFor(field: string): readonly Role[] {
  const access = accessOf[field];
  if (!access) throw new Error(`The graph has no root field ${field}`);
  if (access === 'everyone') return roles;
  // The invitee decides, not a role; in the tests' world the invitee is the owner.
  if (access === 'invitees' || access === 'persons') return roles.filter((role) => role !== 'app');
  return permissions[access];
}
