import { exceeds, type MemberRole, memberRoles } from '../core/roles.ts';

/** What of an app says for which roles it gets tokens. */
export type AppRules = { roles: unknown; ownersOnly: boolean; unrestricted: boolean };
/** What is recorded of a member in an app (GET /roles). */
export type RoleRule = { role: MemberRole | null; enforced: boolean };

/** Where an item of an app's `roles` that is an object says which role it is; the first that names one counts. */
const naming = ['role', 'id', 'key', 'name'];

/** The highest of our roles that an app's `roles` name; null when they name none. Items of other forms are the app's own. */
export function highestNamed(roles: unknown): MemberRole | null {
  const named = (Array.isArray(roles) ? roles : []).map(roleOfItem).filter((role) => role !== null);
  return named.reduce<MemberRole | null>((most, role) => (most && !exceeds(role, most) ? most : role), null);
}

function roleOfItem(item: unknown): MemberRole | null {
  if (typeof item === 'string') return roleOf(item);
  if (item === null || typeof item !== 'object') return null;
  return naming.map((key) => roleOf((item as Record<string, unknown>)[key])).find((role) => role !== null) ?? null;
}

const roleOf = (value: unknown): MemberRole | null =>
  (typeof value === 'string' && memberRoles.find((role) => role === value.trim().toLowerCase())) || null;

/**
 * The highest role for which an app gets a token for a member: the one recorded of the two, or else the highest that its
 * `roles` name, or else editor; null: it gets none. Only for an app that an owner let have it is that owner.
 */
export function allowanceOf(
  { roles, ownersOnly, unrestricted }: AppRules,
  record?: RoleRule | null,
): MemberRole | null {
  if (unrestricted && !record?.enforced) return 'owner';
  const most = record ? record.role : (highestNamed(roles) ?? 'editor');
  return most === 'owner' && !ownersOnly ? 'admin' : most;
}
