import { type Permission, permissions } from './permissions.ts';

/** What takes a member: with it, whoever has a key could get other bearers, or let somebody in. */
const ofMembers: readonly Permission[] = [
  'keys.read',
  'keys.write',
  'apps.write',
  'apps.secret',
  'apps.auth',
  'roles.write',
  'memberships.write',
  'owners.write',
];

/** The permissions that a key can have as its scopes, in the order of the table. */
export const keyScopes: readonly Permission[] = (Object.keys(permissions) as Permission[]).filter(
  (permission) => !ofMembers.includes(permission),
);

/** What rows that belong to agents or bases are read and written by, and what describes their values. */
const ofAgentsAndBases =
  /^(agents|analytics|bases|channels|conversations|credentials|fields|leads|messages|settings|traces)\./;

/** The same of a key for some agents or bases alone: what tells of the whole workspace is not for it. */
export const limitedKeyScopes: readonly Permission[] = keyScopes.filter((scope) => ofAgentsAndBases.test(scope));

/** Whether a scope only reads. */
export const isReading = (scope: Permission): boolean => scope.endsWith('.read');
