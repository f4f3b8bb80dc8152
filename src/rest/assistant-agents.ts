import { z } from 'zod';
import { CreateChannelDocument, ListAgentsDocument, ListConversationsDocument } from './generated/graphql.ts';
import { interval, intervalPattern } from './interval.ts';
import { pageOf, pageQuery, pageVariables, search, searchVariables } from './paging.ts';
import { agent, channel, channelInput } from './records/agents.ts';
import { idOf } from './records/common.ts';
import { conversation } from './records/conversations.ts';
import { type Route, route } from './route.ts';

/** The operation has no key for origins. */
const noOrigins =
  'origins: this widget shows on no page yet; the GraphQL mutation updateChannel names the origins of the pages that may ' +
  'embed it: {id: <the id of the channel>, origins: [https://shop.example]}';

const ofAgent = z.object({ agentId: idOf('agent', 'agt') });

/** Agents, their channels and their conversations. */
export const agentRoutes: Route[] = [
  route({
    id: 'listAgents',
    method: 'get',
    path: '/rest/agents',
    tag: 'Agents',
    summary: 'List agents',
    description: 'The agents of the workspace, newest first, in numbered pages.',
    document: ListAgentsDocument,
    query: pageQuery.extend({ search: search('the name') }),
    response: pageOf(agent),
    variables: ({ query }) => searchVariables(query),
    project: { page: ['agents'] },
  }),
  route({
    id: 'createChannel',
    method: 'post',
    path: '/rest/agents/{agentId}/channels',
    tag: 'Agents',
    summary: 'Create a channel',
    description: 'Creates a channel on which an agent can be reached.',
    document: CreateChannelDocument,
    params: ofAgent,
    body: channelInput,
    response: channel,
    errors: ['not_found'],
    variables: ({ params, body }) => ({ input: { ...params, ...body } }),
    notes: ({ body }) => (body.platform === 'widget' ? [noOrigins] : []),
    project: { row: ['createChannel', 'channel'] },
  }),
  route({
    id: 'listConversations',
    method: 'get',
    path: '/rest/conversations/list/{agentId}',
    tag: 'Agents',
    summary: 'List the conversations of an agent',
    description: 'The conversations of an agent, each with its lead, newest first, in numbered pages.',
    document: ListConversationsDocument,
    params: ofAgent,
    query: pageQuery.extend({
      createdAt: interval.optional().meta({
        type: 'string',
        pattern: intervalPattern,
        description:
          'When the conversations started: an ISO 8601 date for that UTC day, or an interval `start/end` with an inclusive start and an exclusive end. Use `..` for an open side.',
        examples: ['2026-07-31', '2026-07-01/2026-08-01', '2026-07-01T12:00:00Z/..'],
      }),
    }),
    response: pageOf(conversation),
    errors: ['not_found'],
    variables: ({ params, query }) => ({ ...params, ...pageVariables(query), createdAt: query.createdAt }),
    project: { page: ['agent', 'conversations'] },
  }),
];
