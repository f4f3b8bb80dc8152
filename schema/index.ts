import { GraphQLDeferDirective, GraphQLStreamDirective, specifiedDirectives } from 'graphql';
import './accounts.ts';
import './agents.ts';
import './app-roles.ts';
import './app-tokens.ts';
import './apps.ts';
import './channels.ts';
import './content.ts';
import './copywriting.ts';
import './conversations.ts';
import './custom-fields.ts';
import './gaps.ts';
import './knowledge-bases.ts';
import './leads.ts';
import './memberships.ts';
import './invitations.ts';
import './models.ts';
import './passages.ts';
import './plugins.ts';
import './plugin-authorization.ts';
import './plugin-import.ts';
import './turn.ts';
import './turn-stop.ts';
import './new-messages.ts';
import './turn-stream.ts';
import './messages.ts';
import './message-references.ts';
import './credentials.ts';
import './settings.ts';
import './sources.ts';
import './source-progress.ts';
import './source-schedule.ts';
import './subscriptions.ts';
import './takeover.ts';
import './usage.ts';
import './webhook-deliveries.ts';
import './webhooks.ts';
import { builder } from './builder.ts';

export { getDatamodel } from './generated/prisma.ts';

/** The graph. Yoga answers `@defer` and `@stream` in parts: see src/graphql/incremental.ts. */
export const schema = builder.toSchema({
  directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective],
});
