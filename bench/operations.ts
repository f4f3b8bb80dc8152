import type pg from 'pg';

/** What is measured, in the order of the table. */
export const operations = {
  nested: '20 agents × 10 conversations × 5 messages, with leads',
  list: 'a page of 20 conversations deep in an agent, with leads, by cursor',
  'list, total': 'the same with totalCount',
  point: 'one conversation with its last 20 messages',
  'page of agents': 'GET /rest/agents: a page of 20 with the total',
  'page of conversations': 'GET /rest/conversations/list/{agentId}: a page of 20 with leads and the total',
  'groups, days': 'conversations by day, over 60 days',
  'groups, top 10': 'messages by conversation: the 10 with most, and the rest as one',
  'groups, nested': '20 agents, each with its conversations by month',
  'groups, ratio': 'conversations by agent, with the share of those with at least 6 messages',
  'groups, running': 'conversations by day with their running total, over 60 days',
  'groups, histogram': 'conversations by their number of messages, in steps of 5',
  'groups, funnel': 'the stages that conversations reached, and the median time that it took',
  'create (GraphQL)': 'create a lead through GraphQL',
  'create (REST)': 'create a lead through REST',
  'update (GraphQL)': 'change the company of a lead through GraphQL',
  'turn, new conversation':
    'POST /api/{agentId}: a message that begins a conversation, answered by a model with 40 tokens',
  'turn, twentieth message': 'the same as the twentieth message of a conversation',
} as const;

export type Operation = keyof typeof operations;
export const operationNames = Object.keys(operations) as Operation[];
export const isCreate = (operation: Operation): boolean => operation.startsWith('create');
export const isUpdate = (operation: Operation): boolean => operation.startsWith('update');
export const isTurn = (operation: Operation): boolean => operation.startsWith('turn');
/** Whether each request leaves rows, or changes some. */
export const isWrite = (operation: Operation): boolean =>
  isCreate(operation) || isUpdate(operation) || isTurn(operation);

/** A workspace in the data: its agents with the most conversations, and where to start deep in each one's list. */
export type Tenant = {
  workspaceId: string;
  userId: string;
  agents: Place[];
  conversationIds: string[];
  leadIds: string[];
};
/** An agent, and the row of its list of conversations after which the measured page starts. */
type Place = { agentId: string; depth: number; after: { createdAt: string; id: string } };
/** The parameters of one request. */
export type Variant = { tenant: Tenant; place: Place; conversationId: string; leadId: string; pageNumber: number };

/** Reads the parameters of the requests from the data: the twenty busiest agents of each workspace. */
export async function readTenants(pool: Pick<pg.Pool, 'query'>): Promise<Tenant[]> {
  const members = await pool.query<{ workspaceId: string; userId: string }>(
    'SELECT "workspaceId", "userId" FROM "Membership" ORDER BY "workspaceId"',
  );
  return Promise.all(
    members.rows.map(async (member) => ({ ...member, ...(await readPlaces(pool, member.workspaceId)) })),
  );
}

async function readPlaces(
  pool: Pick<pg.Pool, 'query'>,
  workspaceId: string,
): Promise<Omit<Tenant, 'workspaceId' | 'userId'>> {
  const agents = await pool.query<Place & { createdAt: string; id: string }>(
    `SELECT "agentId", depth::int, id, to_json("createdAt") #>> '{}' AS "createdAt" FROM (
       SELECT *, row_number() OVER (PARTITION BY "agentId" ORDER BY "createdAt" DESC, id DESC) AS number,
         count(*) OVER (PARTITION BY "agentId") * 475 / 1000 AS depth
       FROM "Conversation" WHERE "workspaceId" = $1
     ) numbered WHERE number = depth ORDER BY depth DESC, id LIMIT 20`,
    [workspaceId],
  );
  const conversations = await pool.query<{ id: string }>(
    'SELECT id FROM "Conversation" WHERE "workspaceId" = $1 AND "messageCount" > 20 ORDER BY md5(id) LIMIT 40',
    [workspaceId],
  );
  const leads = await pool.query<{ id: string }>(
    'SELECT id FROM "Lead" WHERE "workspaceId" = $1 ORDER BY md5(id) LIMIT 40',
    [workspaceId],
  );
  return {
    agents: agents.rows.map(({ agentId, depth, createdAt, id }) => ({ agentId, depth, after: { createdAt, id } })),
    conversationIds: conversations.rows.map(({ id }) => id),
    leadIds: leads.rows.map(({ id }) => id),
  };
}

/** The parameters that every contender is given in turn: workspaces, agents and conversations alternate. */
export function variantsOf(tenants: Tenant[], count: number): Variant[] {
  return Array.from({ length: count }, (_, index) => {
    const tenant = tenants[index % tenants.length] as Tenant;
    const turn = Math.floor(index / tenants.length);
    return {
      tenant,
      place: tenant.agents[turn % tenant.agents.length] as Place,
      conversationId: tenant.conversationIds[turn % tenant.conversationIds.length] as string,
      leadId: tenant.leadIds[turn % tenant.leadIds.length] as string,
      pageNumber: 1 + (turn % 3),
    };
  });
}

/** One for each request: turns of existing conversations have many more, so that each conversation has its own. */
export function asked(operation: Operation, variants: Variant[]): Variant[] {
  if (operation !== 'turn, twentieth message') return variants;
  const count = turnConversations(variants.length);
  return Array.from({ length: count }, (_, index) => variants[index % variants.length] as Variant);
}

/** Sixty days in the middle of the data. */
export const days = { from: '2025-10-01T00:00:00.000Z', to: '2025-11-30T00:00:00.000Z' };

/** What a turn asks. */
export const question = 'When do you open tomorrow?';

/** The agent that turns ask, which has neither bases nor plugins, and its API channel. */
export const turnAgentOf = (workspaceId: string): string => workspaceId.replace('wsp_', 'agt_');
export const turnChannelOf = (workspaceId: string): string => workspaceId.replace('wsp_', 'chn_');
/** Enough that hardly any conversation is asked twice in a slice. */
export const turnConversations = (variants: number): number => variants * 25;
export const turnConversation = (index: number): string => `cnv_${String(index).padStart(26, '0')}`;

/** The input of the create operations. */
export const newLead = {
  name: 'Bench',
  email: 'bench@example.com',
  phone: '+5511987654321',
  utm: { source: 'newsletter' },
};

let companies = 0;
/** The company that an update sets: another one each time, since a row that stays the same costs less. */
export const nextCompany = (): string => `Bench ${++companies}`;
