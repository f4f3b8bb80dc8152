import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { setWorkspace, withDeadline } from '../../src/database/deadline.ts';
import { newId } from '../../src/database/ids.ts';
import { bytesKept, readKnown } from '../../src/graphql/saved/known.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home } = useWorkspaces();

/** Fragments that expand to 3^8 fields, below a name of this length. */
const grown = (name: number, condition = '') => {
  const fragments = Array.from({ length: 8 }, (_, at) => {
    const next = at < 7 ? `...F${at + 1}` : 'totalCount';
    const fields = [0, 1, 2].map(
      (one) => `a${one}: conversations { ${at < 7 ? `nodes { agent { ${next} } }` : next} }`,
    );
    return `fragment F${at} on Agent { ${fields.join(' ')} }`;
  });
  return `{ ${'x'.repeat(name)}: agents ${condition} { nodes { ...F0 } } } ${fragments.join(' ')}`;
};

test('the names of the values of a result are no longer than a megabyte together, whatever fragments write out', async () => {
  const query = 'query ($query: String!) { resultValues(operation: { query: $query }) { path } }';
  const { resultValues } = await gateway.data(home.viewer, query, { query: grown(90_000) });
  const paths: { path: string }[] = resultValues;
  expect(paths.reduce((sum, { path }) => sum + path.length, 0)).toBeLessThan(1_200_000);
});

test('an operation that is too large whatever its variables skip is not saved, with or without their values', async () => {
  const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
  const document = `query ($all: Boolean!) ${grown(10, '@include(if: $all)')}`;
  for (const variables of [{}, { all: true }, { all: false }]) {
    const { errors } = await gateway.graphql(home.editor, create, { input: { name: 'large', document, variables } });
    expect(errors?.[0]?.message).toMatch(/^The operation is too large: its depth is/);
  }
});

test('the documents that read the rows of groups repeat long arguments to a limit', async () => {
  const by = `groups(first: 1) { nodes { by { status } count } }`;
  const groups = Array.from({ length: 100 }, (_, at) => `g${at}: ${by}`).join(' ');
  const document = `{ conversations(filter: { ids: ["${'x'.repeat(14_000)}"] }) { ${groups} } }`;
  expect(document.length).toBeLessThan(20_000);
  const documentHash = createHash('sha256').update(document).digest('hex');
  const row = { id: newId('savedOperation'), workspaceId: home.id, name: 'groups', document, documentHash };
  await gateway.database.savedOperation.create({ data: { ...row, createdBy: 'x', updatedBy: 'x' } });
  const list = '{ operations(filter: { names: ["groups"] }) { nodes { broken groupRows { path keys rows } } } }';
  const { operations } = await gateway.data(home.viewer, list);
  const [{ broken, groupRows }] = operations.nodes;
  expect([broken, groupRows[0].path]).toEqual([null, 'conversations.g0']);
  expect(JSON.stringify(groupRows).length).toBeLessThan(200_000);
});

test('what is kept of saved documents is bounded by its bytes', async () => {
  for (let tag = 0; tag < 300; tag++) {
    await readKnown(schema, `{ a${tag}: __typename } #${'x'.repeat(90_000)}`);
    expect(bytesKept(schema)).toBeLessThanOrEqual(32 * 2 ** 20);
  }
  expect(bytesKept(schema)).toBeGreaterThan(16 * 2 ** 20);
});

test('others get their turn between two documents of a list', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await Promise.all(Array.from({ length: 30 }, (_, at) => readKnown(schema, `{ turn${at}: __typename }`)));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(28);
});

test('a workspace with many documents lets another one read its own in between', async () => {
  const order: string[] = [];
  const readIn = (workspace: string, count: number) =>
    withDeadline(60_000, () => {
      setWorkspace(workspace);
      return Array.from({ length: count }, (_, at) =>
        readKnown(schema, `{ ${workspace}${at}: __typename }`).then(() => order.push(workspace)),
      );
    });
  await Promise.all([...readIn('many', 40), ...readIn('few', 3)]);
  expect(order.lastIndexOf('few')).toBeLessThan(10);
});
