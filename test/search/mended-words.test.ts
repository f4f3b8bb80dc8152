import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DatabaseHandle, transact } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { sql } from '../../src/database/sql.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import { borrowDatabase } from '../support/database/shared-database.ts';

let handle: DatabaseHandle;
let workspaceId: string;
const base = { baseId: newId('base'), sourceId: newId('source') };
beforeAll(async () => {
  handle = await borrowDatabase();
  workspaceId = newId('workspace');
  await handle.client.workspace.create({ data: { id: workspaceId, name: 'Workspace' } });
  await handle.client.base.create({ data: { id: base.baseId, workspaceId, description: 'Base' } });
  await handle.client.source.create({ data: { id: base.sourceId, workspaceId, baseId: base.baseId, type: 'file' } });
  await write(['The warranty of the dryer lasts three years.', 'The dryer is loud.', 'The warranty of the oven ends.']);
});
afterAll(() => handle.close());

let written = 0;
const write = (texts: string[]) =>
  transact(handle.client, (tx) =>
    insertPassages(
      tx,
      texts.map((text) => ({ ...base, workspaceId, position: written++, text, place: {} })),
    ),
  );

const statements: string[] = [];
let before: (statement: string) => Promise<void>;
beforeEach(() => {
  statements.length = 0;
  before = async () => {};
});
/** The database; records its statements, and runs `before` ahead of each. */
const watched = () =>
  new Proxy(handle.client, {
    get(client, name) {
      const value = Reflect.get(client, name) as (...values: unknown[]) => unknown;
      if (name !== '$queryRaw') return value;
      return async (parts: string[], ...values: unknown[]) => {
        const statement = sql(parts, ...values).text;
        await before(statement);
        statements.push(statement);
        return value.call(client, parts, ...values);
      };
    },
  });
const find = async (query: string, database = watched()) => {
  const found = await searchPassages(database, { workspaceId, baseIds: [base.baseId], query, limit: 5 });
  return found.map(({ text, highlights }) => [text, highlights().map(({ start, end }) => text.slice(start, end))]);
};
const readsRuns = (statement: string) => statement.includes('PassageRun');
const readsTerms = (statement: string) => statement.includes('sought');

test('a search with a misspelt word reads all runs once, the postings of its words once, and the passages once', async () => {
  const database = watched();
  const expected = await find('warranty of the dryer', database);
  expect(expected[0]).toEqual(['The warranty of the dryer lasts three years.', ['warranty', 'dryer']]);
  await find('warrnaty of the dryer', database);
  statements.length = 0;
  expect(await find('warrnaty of the dryer', database)).toEqual(expected);
  expect([statements.filter(readsRuns).length, statements.filter(readsTerms).length]).toEqual([1, 2]);
  // The other two read which slips there are, and the passages.
  expect(statements).toHaveLength(4);
});

test('what is written or removed between its reads is found, or not, as if it had been so before', async () => {
  let count = 0;
  before = async (statement) => {
    if (readsTerms(statement) && ++count === 2) await write(['The warranty of the dryer covers its drum.']);
  };
  expect((await find('warrnaty dryer')).map(([text]) => text)).toContain('The warranty of the dryer covers its drum.');
  count = 0;
  before = async (statement) => {
    if (readsTerms(statement) && ++count === 2)
      await handle.client.passage.deleteMany({ where: { text: { contains: 'drum' } } });
  };
  expect((await find('warrnaty dryer')).map(([text]) => text)).toEqual([
    'The warranty of the dryer lasts three years.',
    'The dryer is loud.',
    'The warranty of the oven ends.',
  ]);
});

test('a stem of three letters is no misspelling of another', async () => {
  expect(await find('dryers and odes')).not.toEqual([]);
  await write(['The oak door is closed.', 'The tap is open.']);
  expect((await find('oars')).map(([text]) => text)).toEqual([]);
  expect((await find('tpas')).map(([text]) => text)).toEqual(['The tap is open.']);
});
