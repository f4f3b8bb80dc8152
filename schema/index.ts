import { GraphQLDeferDirective, GraphQLStreamDirective, specifiedDirectives } from 'graphql';
import './workspace/accounts.ts';
import './agents/agents.ts';
import './workspace/app-roles.ts';
import './workspace/apps.ts';
import './agents/channels.ts';
import './audit/entries.ts';
import './content/content.ts';
import './dashboards/dashboards.ts';
import './conversations/conversations.ts';
import './conversations/stages.ts';
import './evaluations/evaluations.ts';
import './evaluations/runs.ts';
import './erasure/erasures.ts';
import './fields/custom-fields.ts';
import './knowledge/gaps.ts';
import './knowledge/knowledge-bases.ts';
import './leads/leads.ts';
import './workspace/memberships.ts';
import './workspace/invitations.ts';
import './workspace/keys.ts';
import './agents/models.ts';
import './knowledge/passages.ts';
import './operations/operations.ts';
import './plugins/plugins.ts';
import './plugins/credentials.ts';
import './plugins/import.ts';
import './turns/turn.ts';
import './conversations/new-messages.ts';
import './conversations/messages.ts';
import './conversations/conversation-changes.ts';
import './conversations/feedback.ts';
import './conversations/message-checks.ts';
import './conversations/message-references.ts';
import './workspace/operation-cost.ts';
import './workspace/rate-limit.ts';
import './workspace/result-values.ts';
import './workspace/settings.ts';
import './knowledge/sources.ts';
import './knowledge/source-impact.ts';
import './knowledge/source-mutations.ts';
import './workspace/subscriptions.ts';
import './workspace/usage.ts';
import './webhooks/deliveries.ts';
import './webhooks/webhooks.ts';
import { builder } from './builder.ts';
import { guard, guardFields } from './shared/guards.ts';

export { getDatamodel } from './generated/prisma.ts';

/** The graph. Yoga answers `@defer` and `@stream` in parts: see src/graphql/incremental.ts. */
export const schema = guard(
  guardFields(
    builder.toSchema({ directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective] }),
  ),
);
