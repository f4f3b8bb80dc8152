import { ofMembers, type Permission, permissions } from './permissions.ts';

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
export const isDefault = (scope: Permission): boolean => scope.endsWith('.read') && scope !== 'credentials.read';
