import { exceeds, type MemberRole, memberRoles } from '../core/roles.ts';

/** The properties of an app that decide for which roles it gets tokens. */
type AppRules = { roles: unknown; ownersOnly: boolean; unrestricted: boolean };
/** The role record of a member in an app (GET /roles). */
type RoleRule = { role: MemberRole | null; enforced: boolean };

/** The keys under which an object in an app's `roles` may name its role; the first match counts. */
const naming = ['role', 'id', 'key', 'name'];

/** Returns the highest known role that an app's `roles` name, or null. Items of other formats belong to the app. */
export function highestRoleIn(roles: unknown): MemberRole | null {
  const named = (Array.isArray(roles) ? roles : []).map(roleOfItem).filter((role) => role !== null);
  return named.reduce<MemberRole | null>(
    (highest, role) => (highest && !exceeds(role, highest) ? highest : role),
    null,
  );
}

function roleOfItem(item: unknown): MemberRole | null {
  if (typeof item === 'string') return roleOf(item);
  if (item === null || typeof item !== 'object') return null;
  return naming.map((key) => roleOf((item as Record<string, unknown>)[key])).find((role) => role !== null) ?? null;
}

const roleOf = (value: unknown): MemberRole | null =>
  (typeof value === 'string' && memberRoles.find((role) => role === value.trim().toLowerCase())) || null;

/**
 * Returns the highest role for which an app gets a token for a member: the recorded one, or else the highest named in
 * its `roles`, or else editor; null if none. It is owner only if an owner has allowed that.
 */
export function allowanceOf(
  { roles, ownersOnly, unrestricted }: AppRules,
  record?: RoleRule | null,
): MemberRole | null {
  if (unrestricted && !record?.enforced) return 'owner';
  const highest = record ? record.role : (highestRoleIn(roles) ?? 'editor');
  return highest === 'owner' && !ownersOnly ? 'admin' : highest;
}
