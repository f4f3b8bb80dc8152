import { z } from 'zod';
import { ListAgentsDocument } from './generated/graphql.ts';
import { pageOf, pageVariables, searchQuery, toPage } from './paging.ts';
import { route } from './route.ts';

const timestamp = z.iso.datetime();
const text = z.string().nullable();

const agent = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: text,
    avatar: text,
    color: z.string(),
    welcome: text,
    instructions: text,
    off: text,
    references: z.boolean(),
    purpose: z.enum(['leads', 'support', 'sales', 'general']),
    freedom: z.enum(['restricted', 'balanced', 'free']),
    behavior_type: z.enum(['basic', 'advanced']),
    status: z.enum(['draft', 'active', 'paused', 'archived']),
    left: z.boolean(),
    workspaceId: z.string(),
    createdBy: z.string(),
    updatedBy: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Agent', description: 'An assistant.' });

/** The operations of the assistant host. */
export const assistantRoutes = [
  route({
    id: 'listAgents',
    method: 'get',
    path: '/rest/agents',
    tag: 'Agents',
    summary: 'List agents',
    description: 'The agents of the workspace, newest first, a numbered page at a time.',
    document: ListAgentsDocument,
    query: searchQuery,
    response: pageOf(agent),
    variables: ({ query }) => pageVariables(query),
    project: (data, { query }) => toPage(data.agents, query),
  }),
];
