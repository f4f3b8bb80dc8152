/** The schema of the Mercurius contender, and the statements of its resolvers and loaders. */
import type pg from 'pg';
import { newId } from '../../src/database/ids.ts';

export const schema = `
scalar DateTime
scalar JSON
type Query {
  agents(first: Int!, offset: Int): AgentPage!
  agent(id: ID!): Agent
  conversation(id: ID!): Conversation
}
type Mutation {
  createLead(input: NewLead!): Lead!
  updateLead(id: ID!, company: String!): Lead
}
input NewLead { name: String, email: String, phone: String, utm: JSON }
type PageInfo { hasNextPage: Boolean!, endCursor: String }
type AgentPage { nodes: [Agent!]!, totalCount: Int! }
type Agent {
  id: ID!, name: String!, description: String, avatar: String, color: String!, welcome: String, instructions: String
  off: String, references: Boolean!, purpose: String!, freedom: String!, behaviorType: String!, status: String!
  left: Boolean!, workspaceId: ID!, createdBy: ID!, updatedBy: ID!, createdAt: DateTime!, updatedAt: DateTime!
  conversations(first: Int!, offset: Int, after: String): ConversationPage!
}
type ConversationPage { nodes: [Conversation!]!, totalCount: Int!, pageInfo: PageInfo! }
type Conversation {
  id: ID!, title: String!, agentId: ID!, channelId: ID!, workspaceId: ID!, platform: String!, context: JSON!
  platformUserIdentifier: String!, leadId: ID, stage: String!, preview: Boolean!, summary: String, status: String!
  messageCount: Int!, createdAt: DateTime!, updatedAt: DateTime!
  lead: Lead
  messages(first: Int, last: Int): MessagePage!
}
type Lead {
  id: ID!, workspaceId: ID!, agentId: ID, name: String, email: String, phone: String, company: String, site: String
  custom: JSON!, utm: JSON!, capture: String!, createdAt: DateTime!, updatedAt: DateTime!
}
type MessagePage { nodes: [Message!]! }
type Message { id: ID!, position: Int!, role: String!, content: String, createdAt: DateTime! }
`;

export type Key = { workspaceId: string; id: string };
export type Conversation = Key & { leadId: string | null; createdAt: Date };
type NewLead = { name: string; email: string; phone: string; utm: object };
type Row = Record<string, unknown>;

const newest = '"createdAt" DESC, id DESC';
const conversationColumns = `id, "workspaceId", "agentId", "channelId", "leadId", title, platform, context,
  "platformUserIdentifier", stage, preview, summary, status, "messageCount", "createdAt", "updatedAt"`;
/** One row per requested parent and its ordinal, since a loader must return results in the order of its queries. */
const parents = 'unnest($1::text[], $2::text[]) WITH ORDINALITY AS parent("workspaceId", id, place)';
const keysOf = (rows: Key[]) => [rows.map(({ workspaceId }) => workspaceId), rows.map(({ id }) => id)];

/** Groups rows by their parent's `place`. */
function group<T extends Row>(rows: (T & { place: string })[], parentCount: number): T[][] {
  const groups: T[][] = Array.from({ length: parentCount }, () => []);
  for (const row of rows) groups[Number(row.place) - 1]?.push(row);
  return groups;
}

const writeCursor = ({ createdAt, id }: Conversation) =>
  Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64');
const readCursor = (cursor: string) => Buffer.from(cursor, 'base64').toString().split(' ');

/** The statements, each prepared once per connection. */
export function on(pool: pg.Pool) {
  const rows = async <T>(name: string, text: string, values: unknown[]): Promise<T[]> =>
    (await pool.query({ name, text, values })).rows as T[];
  const one = async <T>(name: string, text: string, values: unknown[]): Promise<T | null> =>
    (await rows<T>(name, text, values))[0] ?? null;
  const count = async (name: string, text: string, values: unknown[]) =>
    Number((await one<{ count: string }>(name, text, values))?.count);

  return {
    async agents(workspaceId: string, first: number, offset = 0) {
      const text = `SELECT * FROM "Agent" WHERE "workspaceId" = $1 ORDER BY ${newest} LIMIT $2 OFFSET $3`;
      return { workspaceId, nodes: await rows('agents', text, [workspaceId, first, offset]) };
    },
    countAgents: (workspaceId: string) =>
      count('countAgents', 'SELECT count(*) FROM "Agent" WHERE "workspaceId" = $1', [workspaceId]),
    agent: (workspaceId: string, id: string) =>
      one('agent', 'SELECT * FROM "Agent" WHERE "workspaceId" = $1 AND id = $2', [workspaceId, id]),
    conversation: (workspaceId: string, id: string) =>
      one('conversation', `SELECT ${conversationColumns} FROM "Conversation" WHERE "workspaceId" = $1 AND id = $2`, [
        workspaceId,
        id,
      ]),

    async conversationsOf(
      agents: Key[],
      { first, offset = 0, after }: { first: number; offset?: number; after?: string },
    ) {
      const beyond = after ? 'AND ("createdAt", id) < ($5::timestamptz, $6)' : '';
      const text = `SELECT place, page.* FROM ${parents}, LATERAL (
        SELECT ${conversationColumns} FROM "Conversation"
        WHERE "workspaceId" = parent."workspaceId" AND "agentId" = parent.id ${beyond}
        ORDER BY ${newest} LIMIT $3 OFFSET $4) page ORDER BY place, ${newest}`;
      const values = [...keysOf(agents), first + 1, offset, ...(after ? readCursor(after) : [])];
      const found = await rows<Conversation & { place: string }>(
        after ? 'conversationsAfter' : 'conversations',
        text,
        values,
      );
      return group(found, agents.length).map((page, index) => {
        const nodes = page.slice(0, first);
        const last = nodes.at(-1);
        const pageInfo = { hasNextPage: page.length > first, endCursor: last ? writeCursor(last) : null };
        return { agent: agents[index], nodes, pageInfo };
      });
    },
    countConversations: ({ workspaceId, id }: Key) =>
      count('countConversations', 'SELECT count(*) FROM "Conversation" WHERE "workspaceId" = $1 AND "agentId" = $2', [
        workspaceId,
        id,
      ]),

    async leadsOf(conversations: Conversation[]) {
      const ids = conversations.flatMap(({ leadId }) => leadId ?? []);
      if (ids.length === 0) return conversations.map(() => null);
      const text = 'SELECT * FROM "Lead" WHERE "workspaceId" = $1 AND id = ANY($2::text[])';
      const leads = await rows<Key>('leads', text, [conversations[0]?.workspaceId, ids]);
      const byId = new Map(leads.map((lead) => [lead.id, lead]));
      return conversations.map(({ leadId }) => (leadId === null ? null : (byId.get(leadId) ?? null)));
    },

    async messagesOf(conversations: Key[], { first, last }: { first?: number; last?: number }) {
      const text = `SELECT place, page.* FROM ${parents}, LATERAL (
        SELECT id, position, role, content, "createdAt" FROM "Message"
        WHERE "workspaceId" = parent."workspaceId" AND "conversationId" = parent.id
        ORDER BY position ${last ? 'DESC' : 'ASC'} LIMIT $3) page ORDER BY place, position`;
      const values = [...keysOf(conversations), last ?? first ?? 20];
      const found = await rows<Row & { place: string }>(last ? 'lastMessages' : 'firstMessages', text, values);
      return group(found, conversations.length).map((nodes) => ({ nodes }));
    },

    createLead: (workspaceId: string, { name, email, phone, utm }: NewLead) =>
      one(
        'createLead',
        `INSERT INTO "Lead" (id, "workspaceId", name, email, phone, utm, capture, "searchText", "updatedAt")
         VALUES ($1, $2, $3, $4, $5, $6, 'completed', $7, now()) RETURNING *`,
        [newId('lead'), workspaceId, name, email, phone, utm, `${name} ${email} ${phone}`.toLowerCase()],
      ),

    updateLead: (workspaceId: string, { id, company }: { id: string; company: string }) =>
      one(
        'updateLead',
        `UPDATE "Lead" SET company = $3, "searchText" = lower(concat_ws(' ', name, email, phone, $3::text)), "updatedAt" = now()
         WHERE "workspaceId" = $1 AND id = $2 RETURNING *`,
        [workspaceId, id, company],
      ),
  };
}
