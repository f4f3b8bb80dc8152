/** The workspace that requests are made in, and rows of it. */
export type Subject = {
  workspaceId: string;
  agentId: string;
  conversationId: string;
  leadId: string;
  messageId: string;
};

/** A list to read at its start, in its middle and at its end, one page each. */
type ListToRead = { name: string; under?: 'agent'; field: string; order?: string; select: string };

/**
 * An operation on a subject: a GraphQL document, or a REST path. `grows` says why its cost may grow with the data. If
 * it starts in the middle of a list, `place` queries the list's length and the cursor of a row in it.
 */
export type Operation = {
  name: string;
  grows?: string;
  ask: (subject: Subject, cursor: string) => string;
  place?: (subject: Subject, args: string) => string;
};

const lists: ListToRead[] = [
  { name: 'conversations of an agent', under: 'agent', field: 'conversations', select: 'id title lead { name }' },
  {
    name: 'conversations of an agent, last changed',
    under: 'agent',
    field: 'conversations',
    order: 'updatedAt, direction: desc',
    select: 'id title lead { name }',
  },
  { name: 'conversations', field: 'conversations', select: 'id title' },
  { name: 'messages', field: 'messages', select: 'id content' },
  { name: 'leads by name', field: 'leads', order: 'name, direction: asc', select: 'id name' },
  { name: 'leads by name, falling', field: 'leads', order: 'name, direction: desc', select: 'id name' },
  {
    name: 'leads of an agent by name',
    under: 'agent',
    field: 'leads',
    order: 'name, direction: asc',
    select: 'id name',
  },
];

function page({ under, field, order, select }: ListToRead, { agentId }: Subject, place: string, more = ''): string {
  const args = [place, ...(order ? [`orderBy: { field: ${order} }`] : [])].join(', ');
  const list = `list: ${field}(${args}) { nodes { ${select} } pageInfo { hasNextPage endCursor } ${more} }`;
  return under ? `{ agent(id: "${agentId}") { ${list} } }` : `{ ${list} }`;
}

const pages = (list: ListToRead): Operation[] => [
  { name: `${list.name}: first page`, ask: (subject) => page(list, subject, 'first: 20') },
  {
    name: `${list.name}: page in the middle`,
    ask: (subject, cursor) => page(list, subject, `first: 20, after: "${cursor}"`),
    place: (subject, args) => page(list, subject, args, 'totalCount'),
  },
  { name: `${list.name}: last page`, ask: (subject) => page(list, subject, 'last: 20') },
];

const counts = (field: string): Operation[] => [
  {
    name: `${field}: counted up to 1,000`,
    ask: () => `{ ${field} { countUpTo(limit: 1000) { count precision } } }`,
  },
  {
    name: `${field}: counted exactly`,
    grows: 'with the rows that are counted',
    ask: () => `{ ${field} { totalCount } }`,
  },
];

const grows = 'with the rows that are grouped';
const groups: Operation[] = [
  {
    name: 'conversations by month',
    grows,
    ask: () =>
      '{ conversations(first: 0) { groups(first: 100, orderBy: { field: by, direction: asc }) { nodes { by { createdAt(every: month) { from } } count } } } }',
  },
  {
    name: 'messages by day',
    grows,
    ask: () =>
      '{ messages(first: 0) { groups(first: 100, orderBy: { field: by, direction: asc }) { nodes { by { createdAt(every: day) { from } } count } } } }',
  },
  {
    name: 'messages by conversation: the first 10, and the rest',
    grows,
    ask: () =>
      '{ messages(first: 0) { groups(first: 10) { nodes { by { conversation { id } } count } other { count } } } }',
  },
  {
    name: '20 agents, each with its conversations by month',
    grows,
    ask: () =>
      '{ agents { nodes { conversations(first: 0) { groups { nodes { by { createdAt(every: month) { from } } count } } } } } }',
  },
];

export const operations: Operation[] = [
  ...lists.flatMap(pages),
  {
    name: 'a conversation with its last 20 messages',
    ask: ({ conversationId }) =>
      `{ conversation(id: "${conversationId}") { title lead { name } messages(last: 20) { nodes { role content } } } }`,
  },
  {
    name: 'a lead with its conversations',
    ask: ({ leadId }) => `{ lead(id: "${leadId}") { name conversations { nodes { title } } } }`,
  },
  {
    name: 'a message by its id, and the way up',
    ask: ({ messageId }) =>
      `{ node(id: "${messageId}") { ... on Message { content conversation { title agent { name } } } } }`,
  },
  {
    name: 'conversations of one visitor',
    ask: () => `{ conversations(filter: { platformUserIdentifier: "visitor-77" }) { nodes { title } } }`,
  },
  ...counts('messages'),
  ...groups,
  {
    name: 'REST: first page of conversations, with the total',
    grows: 'with the total, which is counted',
    ask: ({ agentId }) => `/rest/conversations/list/${agentId}?page=1&size=20`,
  },
  {
    name: 'REST: tenth page of conversations, with the total',
    grows: 'with the total, and with the pages before it, which are read',
    ask: ({ agentId }) => `/rest/conversations/list/${agentId}?page=10&size=20`,
  },
];
