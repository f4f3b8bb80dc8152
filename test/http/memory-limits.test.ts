import { buildSchema, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { beforeAll, describe, expect, test } from 'vitest';
import { getDatamodel, schema } from '../../schema/index.ts';
import { Operations } from '../../src/compiled/operation.ts';
import { Statements } from '../../src/database/query/statements.ts';
import { bytesOfDocument } from '../../src/graphql/documents/document.ts';
import { createDocumentCache } from '../../src/graphql/documents/document-cache.ts';
import { Binding } from '../../src/lists/sql/binding.ts';
import { modelsOf } from '../../src/lists/sql/models.ts';
import { termOf } from '../../src/text/lexemes.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let bothWays: BothWays;
let home: TestWorkspace;
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  home = await makeWorkspace(gateway);
});

const MB = 2 ** 20;
const commented = (length: number, name = 'role') => {
  const query = `{ viewer { ${name} } } #`;
  return query + 'x'.repeat(length - query.length);
};

describe('the text of an operation', () => {
  test('has 100 KB at most, whatever of it is comment, and however it is answered', async () => {
    const least = await bothWays.ask(home.viewer, { query: commented(100_000) });
    expect(JSON.parse(least.compiled.body)).toEqual({ data: { viewer: { role: 'viewer' } } });
    for (const query of [commented(100_001), commented(15_000_000), '#é'.repeat(34_000)]) {
      const { compiled, resolvers } = await bothWays.ask(home.viewer, { query });
      expect(compiled).toEqual(resolvers);
      expect([compiled.status, JSON.parse(compiled.body).errors[0]]).toMatchObject([
        413,
        {
          message: 'query: is larger than 100 KB. Send values as variables, or several operations.',
          extensions: { code: 'payload_too_large' },
        },
      ]);
    }
  });

  test('has 4,000 tokens at most, comments among them', async () => {
    const lines = (count: number) => `{ viewer { role } }${'\n#'.repeat(count)}`;
    expect((await gateway.graphql(home.viewer, lines(3_900))).data).toEqual({ viewer: { role: 'viewer' } });
    const { errors } = await gateway.graphql(home.viewer, lines(4_001));
    expect(errors?.[0]).toMatchObject({
      message: 'The document has more than 4,000 tokens, comments included: send several operations.',
      extensions: { code: 'invalid_request' },
    });
  });
});

describe('what is kept of what callers send is bounded by its bytes:', () => {
  test('documents, of which only valid ones are kept', async () => {
    const { plugin, documents } = createDocumentCache();
    const yoga = createYoga({
      schema: buildSchema('type Query { a: Int }'),
      plugins: [plugin],
      parserAndValidationCache: false,
      logging: false,
    });
    const ask = async (query: string) => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify({ query }) };
      return (await yoga.fetch('http://test/graphql', request)).json();
    };
    const wrong = await ask('{ b }');
    expect([wrong.errors.length, await ask('{ b }')]).toEqual([1, wrong]);
    await ask('{ a');
    expect(documents.size).toBe(0);
    for (let index = 0; index < 300; index++) {
      expect(await ask(`{ a${index}: a } #${'x'.repeat(99_000)}`)).toEqual({ data: { [`a${index}`]: null } });
    }
    expect(documents.size).toBeGreaterThan(100);
    const sizes = [...documents.values()].reduce((sum, document) => sum + bytesOfDocument(document), 0);
    expect([documents.calculatedSize, sizes <= 32 * MB]).toEqual([sizes, true]);
  });

  test('a document counts as its text and all its tokens', () => {
    const bytes = (text: string) => bytesOfDocument(parse(text));
    expect(bytes('{ a }')).toBe(1_000 + 10 + 3 * 500);
    expect(bytes(`{ a }${'\n#'.repeat(1_000)}`)).toBe(1_000 + 10 + 4_000 + 1_003 * 500);
  });

  /** Compiles an operation as the gateway does, without running it. */
  const graph = { schema, models: modelsOf(getDatamodel()) };
  const prepare = (operations: Operations, text: string, name: string | null, variables: Record<string, unknown>) => {
    const operation = operations.ofText(text, name);
    const values = operations.variablesOf(operation, variables);
    const context = { ...gateway.services, viewer: home.owner };
    void operation.priceCheck.check({ schema, document: operation.document, variables, coerced: values, ctx: context });
    return operation.plans.for(graph, operation, values).template.for(new Binding(context, schema, values));
  };
  const row = 'id title messages(first: 3) { nodes { id content } } lead { id name email custom }';
  const deciding = 11;
  const conditions = Array.from({ length: deciding }, (_, bit) => bit);
  const varied =
    `query Q(${conditions.map((bit) => `$v${bit}: Boolean!`).join(' ')}) { conversations(first: 2) { nodes { id ` +
    `${conditions.map((bit) => `... @include(if: $v${bit}) { a${bit}: title ${row} }`).join(' ')} } } }`;
  const variant = (index: number) => Object.fromEntries(conditions.map((bit) => [`v${bit}`, (index >> bit) % 2 === 1]));

  test('plans of one operation in many variants', () => {
    const operations = new Operations(schema);
    const most: number[] = [];
    for (let index = 0; index < 640; index++) {
      prepare(operations, varied, 'Q', variant(index));
      most.push(operations.bytes);
    }
    expect(Math.max(...most)).toBeGreaterThan(MB);
    expect(Math.max(...most)).toBeLessThanOrEqual(3 * MB);
  });

  test('operations, with their plans and statements', () => {
    const operations = new Operations(schema);
    let most = 0;
    for (let index = 0; index < 700; index++) {
      const query = `{ conversations(first: 2) { a${index}: totalCount nodes { ${row} } } }`;
      for (let time = 0; time < 2; time++) prepare(operations, query, null, {});
      most = Math.max(most, operations.bytes);
    }
    expect(most).toBeGreaterThan(20 * MB);
    expect(most).toBeLessThanOrEqual(48 * MB);
  });

  test('names and variables that differ each time', () => {
    const operations = new Operations(schema);
    const query = 'query Q($first: Int) { agents(first: $first) { totalCount } }';
    const before = (prepare(operations, query, 'Q', { first: 1 }), operations.bytes);
    for (let index = 0; index < 100; index++) {
      expect(() => prepare(operations, query, `${'x'.repeat(10_000)}${index}`, {})).toThrow('no operation has');
      prepare(operations, query, 'Q', { first: 1, other: Array.from({ length: 10_000 }, () => index) });
    }
    expect(operations.bytes - before).toBeLessThan(20_000);
  });

  test('statements that a connection has prepared', async () => {
    const parsedStatements: Record<string, string> = {};
    const client = {
      connection: { parsedStatements },
      async query(asked: string | { name?: string; text: string }, done = () => {}) {
        if (typeof asked !== 'string' && asked.name) parsedStatements[asked.name] = asked.text;
        done();
      },
    };
    const lease = async () => ({ client: client as never, release: () => 0 });
    const statements = new Statements({ lease, read: (work) => work({ lease } as never) });
    for (let index = 0; index < 300; index++) {
      await statements.read({ text: 'x'.repeat(60_000), name: `n${index}` }, []);
    }
    const kept = Object.values(parsedStatements);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.reduce((sum, text) => sum + text.length, 0)).toBeLessThanOrEqual(2_000_000);
  });

  test('a statement that is very long is not prepared', () => {
    const operations = new Operations(schema);
    const several = Array.from({ length: 60 }, (_, index) => `a${index}: conversations(first: 2) { nodes { ${row} } }`);
    const query = `{ ${several.join(' ')} }`;
    const names = [1, 2, 3].map(() => prepare(operations, query, null, {}));
    expect(names[0]?.text.length).toBeGreaterThan(65_536);
    expect(names.map(({ name }) => name)).toEqual([null, null, null]);
  });

  test('a stem is the same when it is told from memory, and when there were too many', () => {
    const words = Array.from({ length: 60_000 }, (_, index) => `kayaking${index.toString(36)}`);
    const stems = () => words.slice(0, 100).map((word) => termOf(word, 'e'));
    const first = stems();
    for (const word of words) termOf(word, 'e');
    expect(stems()).toEqual(first);
  });
});
