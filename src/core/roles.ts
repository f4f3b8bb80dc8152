import type { Role } from './viewer.ts';

export type MemberRole = Exclude<Role, 'app' | 'visitor' | 'invited'>;

/** The roles of a member, from least to most powerful. */
export const memberRoles = ['viewer', 'editor', 'admin', 'owner'] as const satisfies readonly MemberRole[];

/** Whether `role` is more powerful than `limit`: a holder of `limit` must not be able to grant such a role. */
export const exceeds = (role: MemberRole, limit: MemberRole): boolean =>
  memberRoles.indexOf(role) > memberRoles.indexOf(limit);

/** The less powerful of two roles: a token never gives more than its member has now. */
export const lowerRole = (a: MemberRole, b: MemberRole): MemberRole => (exceeds(a, b) ? b : a);
