import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { documentOf, rootFields } from '../support/graphql/shape.ts';
import { casesOf } from '../support/random/cases.ts';
import { Random } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

let widgets: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
let world: World;
beforeAll(async () => {
  widgets = await openWidgets();
  widget = await widgets.make();
  world = await makeWorld(widgets.gateway);
});
afterAll(() => widgets.gateway.close());

/** Keys that something reads, and others. */
const keys = [
  'references stopped finishReason model person paused utm source campaign',
  'title url quote place page passageId sourceId baseId tags then constructor',
].flatMap((line) => line.split(' '));

/** Any JSON value. */
function valueOf(random: Random, depth = 0): unknown {
  const kind = random.between(0, depth < 3 ? 7 : 5);
  if (kind === 6) return Array.from({ length: random.between(0, 3) }, () => valueOf(random, depth + 1));
  if (kind === 7) return objectOf(random, depth + 1);
  return [null, 'x', '', true, -1.5, 0][kind];
}

const objectOf = (random: Random, depth = 0): Record<string, unknown> =>
  Object.fromEntries(random.some(keys).map((key) => [key, valueOf(random, depth)]));

/** Objects of the kinds that a mistake was made with, and random ones. */
const objects = [
  { references: 'x' },
  { references: { title: 'x' } },
  { references: [null, 'x', 7, [], { title: 1, url: {}, quote: [], place: 'x' }, { place: { page: {} } }] },
  { utm: 'x', stopped: 'x', finishReason: [] },
  { utm: [1] },
  ...Array.from({ length: casesOf(40) }, (_, index) => objectOf(new Random(seed + index))),
];

/** Stores an object in every column of a workspace that callers fill as they like. */
async function store(workspaceId: string, json: object): Promise<void> {
  const { pool } = widgets.gateway.handle;
  for (const [table, column] of [
    ['Message', 'metadata'],
    ['Conversation', 'context'],
    ['Lead', 'utm'],
    ['Lead', 'custom'],
  ]) {
    const statement = `UPDATE "${table}" SET "${column}" = $2 WHERE "workspaceId" = $1`;
    await pool.query(statement, [workspaceId, JSON.stringify(json)]);
  }
}

const queries = rootFields('Query').filter(
  ({ name, type }) => /^(message|conversation|lead)/i.test(name) && /Message|Conversation|Lead/.test(String(type)),
);
const reads = operations.filter(({ method, root }) => method === 'GET' && /message|conversation|lead/i.test(root));

test.each(objects.map((json) => [JSON.stringify(json).slice(0, 80), json] as const))(
  '%s in metadata, context, utm and custom fails no reader',
  async (_name, json) => {
    const { gateway, home } = widgets;
    const { token, secret } = await widgets.enter(widget);
    await readEvents(await widgets.ask(token, { content: 'Hello' })).rest();
    await store(home.id, json);
    await store(world.id, json);

    const session = await widgets.call('POST', '/widget/session', { body: { channel: widget.token, secret } });
    expect(session.status).toBe(200);
    for (const path of ['/widget/conversation', '/widget/conversations'])
      expect([path, (await widgets.call('GET', path, { bearer: token })).status]).toEqual([path, 200]);
    await readEvents(await widgets.ask(token, { content: 'I am Ana, ana@example.com' })).rest();

    for (const field of queries) {
      const answer = await gateway.graphql(world.owner, documentOf('Query', field, 2), variablesOf(field, world.ids));
      expect([field.name, answer.errors?.map(({ extensions }) => extensions.code) ?? []]).toEqual([field.name, []]);
    }
    const { conversationId: id, leadId } = world.ids;
    for (const format of ['markdown', 'text', 'json']) {
      const exported = await gateway.graphql(
        world.owner,
        `{ conversation(id: "${id}") { export(format: ${format}) } }`,
      );
      expect(exported.errors).toBeUndefined();
    }
    for (const operation of reads) {
      const { status } = await call(
        gateway,
        world.owner,
        operation,
        (requests[operation.operationId]?.(world.ids) ?? {}) as never,
      );
      expect([operation.operationId, status]).toEqual([operation.operationId, 200]);
    }
    const change = `mutation { updateLead(input: { id: "${leadId}", name: "Ana" }) { lead { utm custom } } }`;
    expect((await gateway.graphql(world.owner, change)).errors).toBeUndefined();
  },
);
