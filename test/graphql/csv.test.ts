import fc from 'fast-check';
import Papa from 'papaparse';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/database/ids.ts';
import { asCsv } from '../../src/graphql/csv.ts';
import { csvOf } from '../../src/http/pages/panels/csv.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';
import { casesOf } from '../support/random/cases.ts';

const { gateway, home, other } = useWorkspaces();

beforeAll(async () => {
  const lead = (workspaceId: string, name: string, campaign: string, at: string) => ({
    id: newId('lead'),
    workspaceId,
    name,
    searchText: name.toLowerCase(),
    utm: { campaign },
    createdAt: new Date(at),
  });
  await gateway.database.lead.createMany({
    data: [
      lead(home.id, 'Ana "A", Lima', 'spring', '2026-09-01T10:00:00Z'),
      lead(home.id, '=HYPERLINK("http://x.example")', 'spring', '2026-09-02T10:00:00Z'),
      lead(home.id, 'Zoë\nSouza', 'summer', '2026-09-10T10:00:00Z'),
      lead(other.id, 'Theirs', 'spring', '2026-09-01T10:00:00Z'),
    ],
  });
});

async function ask(query: string, { accept = 'text/csv', bearer = '' } = {}) {
  const authorization = `Bearer ${bearer || (await gateway.bearer(home.viewer))}`;
  const headers = { authorization, accept, 'content-type': 'application/json' };
  const response = await gateway.app.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}
const tableIn = (text: string) => Papa.parse<string[]>(text).data;

test('a list is a line for each row, and a column for each field by its path', async () => {
  const { status, type, text } = await ask(
    '{ leads(orderBy: {field: createdAt, direction: asc}) { nodes { name capture agent { name } utm } } }',
  );
  expect([status, type]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(tableIn(text)).toEqual([
    ['name', 'capture', 'agent', 'utm.campaign'],
    ['Ana "A", Lima', 'partial', '', 'spring'],
    [`'=HYPERLINK("http://x.example")`, 'partial', '', 'spring'],
    ['Zoë\nSouza', 'partial', '', 'summer'],
  ]);
  expect(text.startsWith('name,capture,agent,utm.campaign\r\n')).toBe(true);
});

test('so are the edges of one, and its groups; what a row lists is JSON', async () => {
  const edges = await ask(
    '{ leads(first: 1, orderBy: {field: createdAt, direction: asc}) { edges { node { capture } } } }',
  );
  expect(tableIn(edges.text)).toEqual([['capture'], ['partial']]);
  const { text } = await ask(
    `{ leads(filter: {createdAt: {from: "2026-09-01T00:00:00Z", to: "2026-10-01T00:00:00Z"}}) { totalCount groups {
      nodes { by { month: createdAt(every: month, timeZone: "UTC") { from } campaign: utm(key: "campaign") } count
        rows(first: 1) { nodes { capture } } } } } }`,
  );
  expect(tableIn(text)).toEqual([
    ['by.month.from', 'by.campaign', 'count', 'rows.nodes'],
    ['2026-09-01 00:00:00', 'spring', '2', '[{"capture":"partial"}]'],
    ['2026-09-01 00:00:00', 'summer', '1', '[{"capture":"partial"}]'],
  ]);
});

test('what an edge has beside its node is kept: its cursor gets the next page', async () => {
  const page = async (after: string) => {
    const groups = `groups(first: 1, after: "${after}", orderBy: {field: by, direction: asc})`;
    const { text } = await ask(
      `{ leads { ${groups} { edges { cursor node { by { campaign: utm(key: "campaign") } count } } } } }`,
    );
    return tableIn(text);
  };
  const [header, first] = await page('');
  expect([header, first]).toEqual([
    ['cursor', 'by.campaign', 'count'],
    [expect.any(String), 'spring', '2'],
  ]);
  expect((await page(first?.[0] ?? ''))[1]?.slice(1)).toEqual(['summer', '1']);
});

test('a list without rows is empty', async () => {
  expect(await ask('{ leads(filter: {createdAt: {from: "2031-01-01T00:00:00Z"}}) { nodes { name } } }')).toMatchObject({
    status: 200,
    text: '',
  });
});

test('is the first choice of a caller or left out: JSON is, where it weighs as much and comes first', async () => {
  const query = '{ leads(first: 1) { nodes { capture } } }';
  for (const accept of ['application/json, text/csv', 'text/csv;q=0.5, application/json', '*/*']) {
    expect([accept, (await ask(query, { accept })).type]).toEqual([accept, 'application/json; charset=utf-8']);
  }
  for (const accept of ['TEXT/CSV', 'text/csv; header=present, application/json;q=0.9']) {
    expect([accept, (await ask(query, { accept })).type]).toEqual([accept, 'text/csv; charset=utf-8; header=present']);
  }
});

test('two lists are no table: the error names them, and nothing is recorded as exported', async () => {
  const exported = () => gateway.database.auditEntry.count({ where: { workspaceId: home.id, action: 'exported' } });
  const before = await exported();
  const { status, type, text } = await ask('{ some: leads(first: 1) { nodes { capture } } agents { nodes { name } } }');
  const { errors, data } = JSON.parse(text);
  expect([status, type, errors[0].extensions.code]).toEqual([400, expect.stringMatching(/json/), 'invalid_request']);
  expect(errors[0].message).toMatch(/several lists, some and agents: ask for each on its own/);
  expect(data.some.nodes).toEqual([{ capture: 'partial' }]);
  expect(await exported()).toBe(before);
});

test('times are as spreadsheets read them, alike from the endpoint and from the panel', async () => {
  const times = ['2026-09-01T10:00:00.000Z', '0001-01-01T00:00:00.007Z', '2026-09-01', '2026-09-01T10:00:00+02:00'];
  const read = ['2026-09-01 10:00:00', '0001-01-01 00:00:00.007', '2026-09-01', '2026-09-01T10:00:00+02:00'];
  const table = await asCsv(Response.json({ data: { list: times.map((at) => ({ at })) } }));
  expect(tableIn(await table.text())).toEqual([['at'], ...read.map((at) => [at])]);
  const panel = csvOf({ columns: [{ name: 'at' }], rows: times.map((at) => [at]) });
  expect(tableIn(panel)).toEqual([['at'], ...read.map((at) => [at]), ['']]);
});

test('an operation without a list is one line', async () => {
  expect((await ask('{ leads { totalCount } }')).text).toBe('leads.totalCount\r\n3');
  const bearer = await gateway.bearer(home.editor);
  const made = await ask('mutation { createLead(input: {name: "Bo"}) { lead { name } } }', { bearer });
  expect(made.text).toBe('createLead.lead.name\r\nBo');
});

test('a failure is told as JSON', async () => {
  const invalid = await ask('{ leads { nodes { nothing } } }');
  expect([invalid.status, JSON.parse(invalid.text).errors]).toEqual([400, [expect.any(Object)]]);
  const refused = await ask('{ leads { groups { nodes { count previous { count } } } } agents { totalCount } }');
  expect([refused.status, JSON.parse(refused.text).errors[0].extensions.code]).toEqual([400, 'invalid_request']);
  const forbidden = await ask('mutation { deleteLead(input: {id: "led_00000000000000000000000000"}) { lead { id } } }');
  expect([forbidden.status, JSON.parse(forbidden.text).errors[0].extensions.code]).toEqual([403, 'forbidden']);
  const stranger = await ask('{ leads { nodes { name } } }', { bearer: 'x' });
  expect([stranger.status, JSON.parse(stranger.text).errors[0].extensions.code]).toEqual([401, 'unauthorized']);
});

/** Texts and keys that try to begin a cell with a formula. */
const hostile = fc
  .array(
    fc.constantFrom('=1+1', '+', '-', '@x', '＝1', '"', "'", ',', ';', '\t', '\n', '\r', ' ', '\u00a0', '\ufeff', 'a'),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));

const writers: Record<string, (rows: [string, string][], key: string) => Promise<string>> = {
  'the endpoint': async (rows, key) =>
    (
      await asCsv(Response.json({ data: { list: rows.map(([a, b]) => ({ [key]: a, other: { deep: [b], b } })) } }))
    ).text(),
  'the panel beside GraphiQL': async (rows, key) => csvOf({ columns: [key, 'b'].map((name) => ({ name })), rows }),
};

/** Programs that read CSV: other separators are those of other locales, and text that is pasted has no quotes. */
const readers = [',', ';', '\t'].flatMap((delimiter) => [{ delimiter }, { delimiter, quoteChar: '\0' }]);

test.each(Object.keys(writers))('%s lets no cell begin with a formula, whoever reads it', async (name) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 3 }),
      hostile,
      async (rows, key) => {
        const text = await writers[name]?.(rows, key);
        for (const reader of readers.filter(({ delimiter, quoteChar }) => delimiter !== ',' || !quoteChar)) {
          const cells = Papa.parse<string[]>(text ?? '', reader).data.flat();
          expect(cells.filter((cell) => /^[\p{Z}\p{C}]*[=+\-@＝＋－＠]/u.test(cell))).toEqual([]);
        }
      },
    ),
    { numRuns: casesOf(500) },
  );
});
