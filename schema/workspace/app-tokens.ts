import { authenticateApp } from '../../src/domain/workspace/app-tokens.ts';
import { rowMutation } from '../shared/mutations.ts';
import { MemberRole } from './member-role.ts';

rowMutation('authenticateApp', {
  waits: true,
  description:
    "Issues an access token for a member, with at most the member's role. An owner or admin can grant at most their own role. An app can grant the role recorded for the member in the app (`setRole`), or else the highest role named in its `roles`, or else `editor`. The token is invalid as soon as its issuer may no longer request it, and it cannot be used to issue other tokens.",
  complete: true,
  payload: { field: 'token', type: 'String', description: 'The access token, a bearer token valid for one hour.' },
  input: (t) => ({
    userId: t.id({ required: true, description: 'ID of the person to issue a token for, who must be a member.' }),
    role: t.field({ type: MemberRole, required: true, description: 'The role that the token grants.' }),
    tenantId: t.id({ required: true, description: "ID of the workspace, which must be the bearer's." }),
  }),
  permission: 'apps.auth',
  resolve: (context, input) => authenticateApp(context, input),
});
