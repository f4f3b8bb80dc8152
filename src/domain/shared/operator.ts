import type { Context, Services } from '../../context.ts';

/** What the gateway does by itself in a workspace, it does as the operator: an owner's permissions without a user. */
export const asOperator = (services: Services, workspaceId: string): Context => ({
  ...services,
  viewer: { workspaceId, role: 'owner', credential: 'operator', userId: null, membershipId: null, appId: null },
});
