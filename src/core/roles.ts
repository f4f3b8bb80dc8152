import type { Role } from './viewer.ts';

export type MemberRole = Exclude<Role, 'app' | 'visitor' | 'invited'>;

/** The roles of a member, from the least to the most powerful. */
export const memberRoles = ['viewer', 'editor', 'admin', 'owner'] as const satisfies readonly MemberRole[];

/** Whether `role` may do more than `limit`: such a role must not be given on the strength of `limit`. */
export const exceeds = (role: MemberRole, limit: MemberRole): boolean =>
  memberRoles.indexOf(role) > memberRoles.indexOf(limit);

/** The less powerful of two roles: a token never gives more than its member has now. */
export const lesser = (a: MemberRole, b: MemberRole): MemberRole => (exceeds(a, b) ? b : a);
