import { dataOf, graphql, type Sent } from './client.ts';
import type { House } from './types.ts';

/** A kind of write, which leaves a mark to find it by. */
export type Kind = {
  name: string;
  send(house: House, mark: string): Sent;
  /** How often each mark exists. */
  read(url: string, house: House): Promise<Map<string, number>>;
};

const create = (type: string, field: string) =>
  `mutation ($input: ${type}!) { ${field}(input: $input) { clientMutationId } }`;

const leadByRest: Kind = {
  name: 'lead',
  send: ({ token }, mark) => ({ path: '/rest/leads', token, body: { name: mark } }),
  read: (url, { token }) => marksOf(url, token, 'leads', 'name', ({ name }) => [name]),
};
const leadByGraph: Kind = {
  ...leadByRest,
  name: 'lead by GraphQL',
  send: ({ token }, mark) => graphql(token, create('CreateLeadInput', 'createLead'), { input: { name: mark } }),
};
const document: Kind = {
  name: 'document',
  send: ({ token }, mark) => graphql(token, create('CreateDocumentInput', 'createDocument'), { input: { name: mark } }),
  read: (url, { token }) => marksOf(url, token, 'documents', 'name', ({ name }) => [name]),
};
/** A message counts only with its reply. */
const turn: Kind = {
  name: 'turn',
  send: ({ token, agentId }, mark) => ({ path: `/api/${agentId}`, token, body: { message: { content: mark } } }),
  read: (url, { token }) =>
    marksOf(url, token, 'conversations', 'messages(first: 6) { nodes { role content } }', ({ messages }) => {
      const said = messages.nodes.map(({ role, content }: { role: string; content: string }) => ({ role, content }));
      const replies = said.filter(({ role }: { role: string }) => role === 'assistant').length;
      const heard = said.filter(({ role }: { role: string }) => role === 'user');
      return replies < heard.length ? [] : heard.map(({ content }: { content: string }) => content);
    }),
};

export const kinds = { leadByRest, leadByGraph, document, turn };
export const rows: Kind[] = [leadByRest, leadByGraph, document];

/** Pages through a whole list. */
async function marksOf(
  url: string,
  token: string,
  list: string,
  selection: string,
  marks: (node: any) => string[],
): Promise<Map<string, number>> {
  const query = `query ($after: String) { ${list}(first: 100, after: $after) {
    nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`;
  const found = new Map<string, number>();
  for (let after: string | null = null, more = true; more; ) {
    const page: { nodes: object[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } = (
      await dataOf(url, token, query, { after })
    )[list];
    for (const mark of page.nodes.flatMap(marks)) found.set(mark, (found.get(mark) ?? 0) + 1);
    after = page.pageInfo.endCursor;
    more = page.pageInfo.hasNextPage;
  }
  return found;
}
