/**
 * Reads a whole list, a page at a time, with urql. A cursor is the place of a row, so rows that come and go meanwhile
 * are neither repeated nor skipped.
 *
 *   TOKEN=$(npm run --silent token) node examples/paginated-list.ts
 */
import { Client, fetchExchange, gql } from '@urql/core';

const { GATEWAY = 'http://127.0.0.1:4000', TOKEN } = process.env;

type Page = {
  leads: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
    nodes: { name: string | null; email: string | null; agent: { name: string } | null }[];
  };
};

const client = new Client({
  url: `${GATEWAY}/graphql`,
  exchanges: [fetchExchange],
  preferGetMethod: false,
  fetchOptions: { headers: { authorization: `Bearer ${TOKEN}` } },
});

const query = gql<Page, { after: string | null }>`
  query Leads($after: String) {
    leads(first: 10, after: $after, orderBy: { field: createdAt, direction: desc }) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { name email agent { name } }
    }
  }
`;

async function readPage(after: string | null): Promise<Page['leads']> {
  const { data, error } = await client.query(query, { after }).toPromise();
  if (error || !data) throw error ?? new Error('No data');
  return data.leads;
}

let page = await readPage(null);
let read = 0;
for (;;) {
  for (const { name, email, agent } of page.nodes) {
    console.log(
      `${++read} of ${page.totalCount}: ${name ?? '(no name)'} <${email ?? ''}> by ${agent?.name ?? 'nobody'}`,
    );
  }
  if (!page.pageInfo.hasNextPage) break;
  page = await readPage(page.pageInfo.endCursor);
}
