/** Mercurius set up as in its documentation: a schema, root resolvers, loaders for nested fields, and its JIT. */
import Fastify from 'fastify';
import { GraphQLScalarType } from 'graphql';
import mercurius from 'mercurius';
import pg from 'pg';
import * as queries from './mercurius-queries.ts';

const app = Fastify({ logger: false });
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const query = queries.on(pool);

const DateTime = new GraphQLScalarType({
  name: 'DateTime',
  serialize: (value) => (value as Date).toISOString(),
});
const Json = new GraphQLScalarType({ name: 'JSON', serialize: (value) => value });

declare module 'mercurius' {
  interface MercuriusContext {
    workspaceId: string;
  }
}
type Batch<Row, Params = object> = { obj: Row; params: Params }[];
type PageArguments = { first: number; offset?: number; after?: string };
type Ends = { first?: number; last?: number };

await app.register(mercurius, {
  schema: queries.schema,
  jit: 1,
  context: (request) => ({ workspaceId: String(request.headers['x-workspace']) }),
  resolvers: {
    DateTime,
    JSON: Json,
    Query: {
      agents: (_root, { first, offset }: PageArguments, { workspaceId }) => query.agents(workspaceId, first, offset),
      agent: (_root, { id }: { id: string }, { workspaceId }) => query.agent(workspaceId, id),
      conversation: (_root, { id }: { id: string }, { workspaceId }) => query.conversation(workspaceId, id),
    },
    Mutation: {
      createLead: (_root, { input }, { workspaceId }) => query.createLead(workspaceId, input),
      updateLead: (_root, lead: { id: string; company: string }, { workspaceId }) =>
        query.updateLead(workspaceId, lead),
    },
    AgentPage: {
      totalCount: (page: { workspaceId: string }) => query.countAgents(page.workspaceId),
    },
    ConversationPage: {
      totalCount: ({ agent }: { agent: queries.Key }) => query.countConversations(agent),
    },
  },
  loaders: {
    Agent: {
      conversations: (batch: Batch<queries.Key, PageArguments>) =>
        query.conversationsOf(
          batch.map(({ obj }) => obj),
          batch[0]?.params ?? { first: 20 },
        ),
    },
    Conversation: {
      lead: (batch: Batch<queries.Conversation>) => query.leadsOf(batch.map(({ obj }) => obj)),
      messages: (batch: Batch<queries.Key, Ends>) =>
        query.messagesOf(
          batch.map(({ obj }) => obj),
          batch[0]?.params ?? {},
        ),
    },
  },
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
