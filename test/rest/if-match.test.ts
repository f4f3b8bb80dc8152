import { type GraphQLInputObjectType, getNamedType } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { routes } from '../../src/rest/routes.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { contentsOf } from '../support/database/rows-of.ts';
import { type Gateway, type RestAnswer, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { schema } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { type Operation, operations, requests } from '../support/rest/operations.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();

const send = (world: World, { method, path, operationId }: Operation, headers: object = {}, by: Gateway = gateway) => {
  const request = requests[operationId]?.(world.ids) ?? {};
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(request.path?.[name] ?? ''));
  const query = new URLSearchParams(request.query).toString();
  return by.rest(world.owner, method, query ? `${address}?${query}` : address, request.body, headers);
};
const inputOf = (root: string) => {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const input = mutations[root]?.args.find(({ name }) => name === 'input');
  return getNamedType(input?.type) as GraphQLInputObjectType | undefined;
};
const takesCondition = ({ root }: Operation) => inputOf(root)?.getFields().expectedUpdatedAt !== undefined;
const conditional = operations.filter(takesCondition).map((operation) => [operation.operationId, operation] as const);

test('each write on one row takes If-Match, and no other operation does', () => {
  expect(
    routes
      .filter((route) => route.conditional)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(conditional.map(([id]) => id).toSorted());
  expect(conditional.length).toBe(8);
  for (const operation of operations) {
    const names = (operation.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name);
    expect([operation.operationId, names.includes('If-Match')]).toEqual([
      operation.operationId,
      takesCondition(operation),
    ]);
  }
});

const conflict = {
  status: 409,
  body: {
    code: 'conflict',
    message: 'This has changed since you read it: read it again, and repeat the change if it still applies.',
  },
};
const tagOf = ({ headers }: RestAnswer): string => headers.get('etag') ?? '';
/** An older tag of the same row. */
const older = (tag: string) => tag.replace(/-\d+"$/, '-1"');

describe.each(oneOfEach(conditional, ([id]) => verbOf(id)))('%s', (id, operation) => {
  const isRemoval = operation.method === 'DELETE';

  test('is done as the row is known, and else is 409 with its tag, and nothing is done', async () => {
    const world = await makeWorld(gateway);
    const before = await contentsOf(gateway, world.id);
    const stale = await send(world, operation, { 'if-match': '"something-1"' });
    expect(stale).toMatchObject(conflict);
    const tag = tagOf(stale);
    expect(tag).toMatch(/^"[\w.%]+-\d{13}"$/);
    for (const wrong of [older(tag), `W/${tag}`, tag.replace('"', '"other'), 'junk', '"', '"%-1700000000000"']) {
      const answer = await send(world, operation, { 'if-match': wrong });
      expect([wrong, answer.status, tagOf(answer)]).toEqual([wrong, 409, tag]);
    }
    expect(await contentsOf(gateway, world.id)).toEqual(before);
    const done = await send(world, operation, { 'if-match': tag });
    expect(done.status).toBe(200);
    if (isRemoval) return expect(tagOf(done)).toBe('');
    expect(tagOf(done)).toMatch(/^"[\w.%]+-\d{13}"$/);
    expect(tagOf(done)).not.toBe(tag);
    expect(await send(world, operation, { 'if-match': tag })).toMatchObject(conflict);
  });

  test('takes any of several tags, and * for whatever it is', async () => {
    const world = await makeWorld(gateway);
    const tag = tagOf(await send(world, operation, { 'if-match': '"x-1"' }));
    const list = `"another-1700000000000", ${older(tag)},${tag}`;
    expect((await send(world, operation, { 'if-match': list })).status).toBe(200);
    const other = await makeWorld(gateway);
    expect((await send(other, operation, { 'if-match': '*' })).status).toBe(200);
    if (isRemoval) expect((await send(other, operation, { 'if-match': '*' })).status).toBe(404);
  });

  test('without it is done as ever', async () => {
    const world = await makeWorld(gateway);
    expect((await send(world, operation)).status).toBe(200);
  });

  test('is answered alike by compiled queries and resolvers', async () => {
    const bothWays = new BothWays(gateway);
    const both = await Promise.all(
      (['compiled', 'resolvers'] as const).map(async (by) => {
        const world = await makeWorld(gateway);
        const via = {
          ...gateway,
          rest: (viewer, method, path, body, headers) => through(bothWays, by, viewer, method, path, body, headers),
        } as Gateway;
        const stale = await send(world, operation, { 'if-match': '"x-1"' }, via);
        const done = await send(world, operation, { 'if-match': tagOf(stale) }, via);
        return [stale.status, stale.body, tagOf(stale) !== '', done.status, tagOf(done) !== ''];
      }),
    );
    expect(both[0]).toEqual(both[1]);
    expect(both[0]?.[3]).toBe(200);
    expect(id).toBe(operation.operationId);
  });
});

const through = async (
  bothWays: BothWays,
  by: 'compiled' | 'resolvers',
  viewer: Parameters<Gateway['rest']>[0],
  method: string,
  path: string,
  body: unknown,
  headers: object = {},
): Promise<RestAnswer> => {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = {
    method,
    headers: { ...json, ...headers } as Record<string, string>,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const answer = await bothWays.send(by, viewer as Viewer, path, init);
  return { status: answer.status, headers: new Headers(answer.headers), body: JSON.parse(answer.body) };
};

describe('an answer with one row has its ETag', () => {
  const showing = operations.filter(
    ({ responses }) => 'ETag' in ((responses['200'] as { headers?: object }).headers ?? {}),
  );

  test.each(showing.map((operation) => [operation.operationId, operation] as const))('%s', async (_, operation) => {
    const bothWays = new BothWays(gateway);
    for (const by of ['compiled', 'resolvers'] as const) {
      const world = await makeWorld(gateway);
      const via = {
        ...gateway,
        rest: (viewer, method, path, body, headers) => through(bothWays, by, viewer, method, path, body, headers),
      } as Gateway;
      const answer = await send(world, operation, {}, via);
      expect([by, answer.status, tagOf(answer)]).toEqual([by, 200, expect.stringMatching(/^"[\w.%-]+-\d{13}"$/)]);
      if (answer.body.updatedAt) expect(tagOf(answer)).toContain(`-${Date.parse(answer.body.updatedAt)}"`);
      if (operation.method === 'GET') expect(tagOf(await send(world, operation, {}, via))).toBe(tagOf(answer));
    }
  });

  test('and no other answer has', async () => {
    expect(showing.map(({ operationId }) => operationId).toSorted()).toEqual([
      'createApp',
      'createBase',
      'createChannel',
      'createField',
      'createLead',
      'enableField',
      'readBase',
      'readRole',
      'saveSettings',
      'updateBase',
      'updateDocument',
      'updateField',
      'updatePlugin',
    ]);
    const world = await makeWorld(gateway);
    const others = operations.filter((operation) => operation.method === 'GET' && !showing.includes(operation));
    for (const operation of others) expect(tagOf(await send(world, operation))).toBe('');
  });

  test('the same when it is read as when it was written, and the next change makes another', async () => {
    const { editor } = await makeWorkspace(gateway);
    const base = {
      description: 'Camp',
      sources: [{ type: 'faq', file: { data: { question: 'Open?', answer: 'Yes.' } } }],
    };
    const made = await gateway.rest(editor, 'POST', '/rest/bases', base);
    const path = `/rest/bases/${made.body.id}`;
    expect(tagOf(await gateway.rest(editor, 'GET', path))).toBe(tagOf(made));
    const changed = await gateway.rest(editor, 'PUT', path, base, { 'if-match': tagOf(made) });
    expect(changed.status).toBe(200);
    expect(tagOf(await gateway.rest(editor, 'GET', path))).toBe(tagOf(changed));
    expect(tagOf(changed)).not.toBe(tagOf(made));
    expect(await gateway.rest(editor, 'DELETE', path, undefined, { 'if-match': tagOf(made) })).toMatchObject(conflict);
    expect((await gateway.rest(editor, 'DELETE', path, undefined, { 'if-match': tagOf(changed) })).status).toBe(200);
  });

  test('a repetition by its Idempotency-Key is answered as the first time, though the row is another one since', async () => {
    const { editor } = await makeWorkspace(gateway);
    const field = await gateway.rest(editor, 'POST', '/rest/fields', { name: 'Size', type: 'text' });
    const change = (name: string, headers: object) =>
      gateway.rest(editor, 'PUT', `/rest/fields/${field.body.id}`, { name, type: 'text' }, headers);
    const keyed = { 'if-match': tagOf(field), 'idempotency-key': 'once' };
    const first = await change('Length', keyed);
    expect(first.status).toBe(200);
    expect((await change('Width', {})).status).toBe(200);
    const again = await change('Length', keyed);
    expect([again.status, again.body, tagOf(again)]).toEqual([200, first.body, tagOf(first)]);
    // A refused request does not use up its key.
    const stale = { 'if-match': tagOf(first), 'idempotency-key': 'twice' };
    const refused = await change('Height', stale);
    expect(refused).toMatchObject(conflict);
    expect((await change('Height', { ...stale, 'if-match': tagOf(refused) })).status).toBe(200);
  });

  test('none where there is no row', async () => {
    const world = await makeWorld(gateway);
    const { appId } = world.ids;
    const answer = await gateway.rest(world.owner, 'GET', `/rest/roles/mbr_00000000000000000000000000/${appId}`);
    expect([answer.status, answer.body, tagOf(answer)]).toEqual([200, null, '']);
  });
});
