import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useGateway } from '../../support/gateway/app.ts';
import { makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();
const page = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8');
const refused = page.slice(page.indexOf('## A query is refused'), page.indexOf('## Answers that are missing'));
/** Each message of the first column, without its full stop: what was unknown is followed by what is known. */
const messages = refused
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => Array.from(line.split(' | ')[0]?.matchAll(/`(.+?)\.?`/g) ?? [], ([, text = '']) => text));
const patternOf = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.+')}`,
    's',
  );

const createAgent = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }';
const queries: { query?: string; variables?: object }[] = [
  { query: '{ agents { nodes { nam } } }' },
  { query: '{ agents { nodes { zzz } } }' },
  { query: '{ agents(limit: 3) { totalCount } }' },
  { query: '{ agent { name } }' },
  { query: 'query ($id: ID!) { agent(id: $id) { name } }' },
  { query: '{ agent(id: $id) { name } }' },
  { query: 'query ($id: ID!) { agents { totalCount } }', variables: { id: 'x' } },
  { query: 'query ($id: ID) { agent(id: $id) { name } }' },
  { query: '{ agents { totalCount ' },
  { query: 'hello' },
  { query: '{ agents }' },
  { query: '{ viewer { role { name } } }' },
  { query: createAgent.replace('Input!', 'Inpt!'), variables: { input: {} } },
  { query: '{ agents { ...Parts } }' },
  { query: '{ agents(filter: { status: [open] }) { totalCount } }' },
  { query: 'mutation { createAgent(input: { name: "a", nam: "b" }) { agent { id } } }' },
  { query: 'mutation { createAgent(input: {}) { agent { id } } }' },
  { query: '{ all: agents { totalCount } all: bases { totalCount } }' },
  { query: 'query A { agents { totalCount } } query B { agents { totalCount } }' },
  {},
];

test('every message about the text of a query that is listed is told, and what is told of common mistakes is listed', async () => {
  const { owner } = await makeWorkspace(gateway);
  const headers = { Authorization: `Bearer ${await gateway.bearer(owner)}`, 'Content-Type': 'application/json' };
  const told: string[] = [];
  for (const asked of queries) {
    const body = JSON.stringify(asked);
    const response = await gateway.app.fetch(new Request('http://x/graphql', { method: 'POST', headers, body }));
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    told.push(...errors.map(({ message }) => message));
  }
  const known = messages.map((text) => ({ text, pattern: patternOf(text) }));
  expect(told.filter((message) => !known.some(({ pattern }) => pattern.test(message)))).toEqual([]);
  expect(known.filter(({ pattern }) => !told.some((message) => pattern.test(message)))).toEqual([]);
});
