import { authenticateApp } from '../../src/domain/workspace/app-tokens.ts';
import { rowMutation } from '../shared/mutations.ts';
import { MemberRole } from './member-role.ts';

rowMutation('authenticateApp', {
  waits: true,
  description:
    'Gets an access token for a member, with at most their role. An owner or admin gives at most their own role; an app the role recorded of the member in it (setRole), or else the highest that its roles name, or else editor. It ends when who got it may not get it any more, and gets no other token.',
  complete: true,
  answers: ['token', 'String', 'The access token, a bearer for one hour.'],
  input: (t) => ({
    userId: t.id({ required: true, description: 'The id of the person to get a token for: a member.' }),
    role: t.field({ type: MemberRole, required: true, description: 'What the token shall be good for.' }),
    tenantId: t.id({ required: true, description: 'The id of the workspace: that of the bearer.' }),
  }),
  permission: 'apps.auth',
  resolve: (context, input) => authenticateApp(context, input),
});
