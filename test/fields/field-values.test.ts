import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { transact } from '../../src/database/client.ts';
import { currentValues } from '../../src/domain/leads/captured-values.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, other } = useWorkspaces();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

let count = 0;
const nameOf = () => `Field ${++count}`;
async function addField(input: object = {}, viewer: Viewer = home.editor) {
  const { body, status } = await gateway.rest(viewer, 'POST', '/rest/fields', {
    name: nameOf(),
    type: 'text',
    ...input,
  });
  expect(status).toBe(200);
  return body as { id: string; name: string };
}
async function addLead(custom: object, viewer: Viewer = home.editor): Promise<string> {
  const { body, status } = await gateway.rest(viewer, 'POST', '/rest/leads', { name: 'Ana', custom });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.id;
}
const put = (id: string, input: object) => gateway.rest(home.editor, 'PUT', `/rest/fields/${id}`, input);
const customOf = async (id: string) => (await gateway.database.lead.findFirstOrThrow({ where: { id } })).custom;

describe('a field that is renamed', () => {
  test('takes along what leads hold under it, however they spell it, and nothing else', async () => {
    const { id } = await addField({ name: 'Situação' });
    const exact = await addLead({ Situação: 'a', other: 1 });
    const spelled = await addLead({ ' SITUACAO ': 'b' });
    const empty = await addLead({ Situação: null });
    const without = await addLead({ Situaçãozinha: 'c', Situ: 'd' });
    await addField({ name: 'Situação' }, other.editor);
    const theirs = await addLead({ Situação: 'e' }, other.editor);
    const before = await gateway.database.lead.findFirstOrThrow({ where: { id: without } });

    const answer = await put(id, { name: 'État' });
    expect([answer.status, answer.body.name, 'fixed' in answer.body]).toEqual([200, 'État', false]);
    expect(await customOf(exact)).toEqual({ État: 'a', other: 1 });
    expect(await customOf(spelled)).toEqual({ État: 'b' });
    expect(await customOf(empty)).toEqual({ État: null });
    expect(await gateway.database.lead.findFirstOrThrow({ where: { id: without } })).toEqual(before);
    expect(await customOf(theirs)).toEqual({ Situação: 'e' });
  });

  test('is spelled by its leads as it is now when only its case changes', async () => {
    const { id } = await addField({ name: 'plan b' });
    const lead = await addLead({ 'plan b': 'x' });
    await put(id, { name: 'Plan B' });
    expect(await customOf(lead)).toEqual({ 'Plan B': 'x' });
  });

  test.each(['価格', '__proto__', 'ﬁn', 'a"b\\c', '😀', 'constructor'])(
    'may be called %j before and after',
    async (name) => {
      const { id } = await addField({ name });
      const { body } = await gateway.rest(
        home.editor,
        'POST',
        '/rest/leads',
        `{"name": "Ana", "custom": {${JSON.stringify(name)}: "x"}}`,
      );
      const lead = body.id ?? (await addLead({ other: 1 }));
      const held = Object.entries((await customOf(lead)) as object);
      const next = nameOf();
      expect((await put(id, { name: next })).status).toBe(200);
      const kept = body.id ? held.map(([key, value]) => [key === name ? next : key, value]) : held;
      expect(Object.entries((await customOf(lead)) as object)).toEqual(kept);
      expect((await put(id, { name })).status).toBe(200);
      expect(Object.entries((await customOf(lead)) as object)).toEqual(held);
    },
  );

  test('shows its leads as changed', async () => {
    const { id, name } = await addField();
    const lead = await addLead({ [name]: 'x' });
    const before = await gateway.database.lead.findFirstOrThrow({ where: { id: lead } });
    await put(id, { name: nameOf() });
    const { updatedAt } = await gateway.database.lead.findFirstOrThrow({ where: { id: lead } });
    expect(updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
  });

  test('tells webhooks of the leads', async () => {
    const { id, name } = await addField();
    const lead = await addLead({ [name]: 'x' });
    const document = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
    await gateway.data(home.owner, document, { input: { url: 'https://hook.example/', events: ['lead_updated'] } });
    await put(id, { name: nameOf() });
    const events = await gateway.database.outboxEvent.findMany({ where: { workspaceId: home.id } });
    expect(events.map(({ type, data }) => [type, (data as { leadId: string }).leadId])).toEqual([
      ['lead.updated', lead],
    ]);
    await gateway.database.webhook.deleteMany({ where: { workspaceId: home.id } });
  });

  test('is refused where a lead would hold two values, with their count, and nothing changes', async () => {
    const { id, name } = await addField();
    const both = [await addLead({ [name]: 'x', Taken: 1 }), await addLead({ [name]: 'y', taken: null })];
    const one = await addLead({ [name]: 'z' });
    const { status, body } = await put(id, { name: 'Taken' });
    expect([status, body.code, body.message]).toEqual([
      409,
      'conflict',
      'name: 2 leads would have two values of "Taken".',
    ]);
    expect(await Promise.all([...both, one].map(customOf))).toEqual([
      { [name]: 'x', Taken: 1 },
      { [name]: 'y', taken: null },
      { [name]: 'z' },
    ]);
    expect((await gateway.database.field.findFirstOrThrow({ where: { id } })).name).toBe(name);
  });

  test('may not take the name of another field, and then its leads stay', async () => {
    const [{ id, name }, taken] = [await addField(), await addField()];
    const lead = await addLead({ [name]: 'x' });
    expect((await put(id, { name: taken.name })).status).toBe(409);
    expect(await customOf(lead)).toEqual({ [name]: 'x' });
  });

  test('keeps no lead under its old name that is written meanwhile, and loses none', async () => {
    const { id, name } = await addField({ type: 'number' });
    const names = [name, nameOf(), nameOf()];
    await addLead({ [name]: 0 });
    const writers = Array.from({ length: 12 }, async (_, index) => {
      const lead = await addLead({ [name]: index });
      const document = 'mutation ($input: UpdateLeadInput!) { updateLead(input: $input) { lead { id } } }';
      await gateway.data(home.editor, document, { input: { id: lead, custom: { [name]: index + 100 } } });
      return [lead, index + 100] as const;
    });
    // A write under the old name counts if it precedes the rename; after it, the old name is another key.
    const renamed = await put(id, { name: names[1] });
    expect(renamed.status).toBe(200);
    for (const [lead, value] of await Promise.all(writers)) {
      const custom = (await customOf(lead)) as Record<string, unknown>;
      expect(Object.values(custom)).toEqual([value]);
    }
  });
});

type Row = [from: object, held: unknown, to: object, becomes: unknown];
const choice = (type: string, ...options: string[]) => ({ type, options });

describe('a field that gets another type', () => {
  test.each<Row>([
    [{ type: 'text' }, ' 12.50 ', { type: 'number' }, 12.5],
    [{ type: 'text' }, '', { type: 'number' }, null],
    [{ type: 'number' }, 12.5, { type: 'text' }, '12.5'],
    [{ type: 'number' }, 52998224725, { type: 'cpf' }, '52998224725'],
    [{ type: 'text' }, '11987654321', { type: 'phone' }, '+5511987654321'],
    [{ type: 'text' }, ' ANA@Example.com', { type: 'email' }, 'ana@example.com'],
    [{ type: 'text' }, '2026-07-31', { type: 'date' }, '2026-07-31'],
    [{ type: 'text' }, 'TRUE', { type: 'boolean' }, true],
    [{ type: 'boolean' }, false, { type: 'text' }, 'false'],
    [{ type: 'text' }, 'https://example.com/a', { type: 'url' }, 'https://example.com/a'],
    [{ type: 'text' }, 'sao paulo', choice('choice', 'São Paulo', 'Rio'), 'São Paulo'],
    [choice('choice', 'a', 'b'), 'b', choice('multi_choice', 'a', 'b'), ['b']],
    [choice('multi_choice', 'a', 'b'), ['a'], choice('choice', 'a', 'b'), 'a'],
    [choice('multi_choice', 'a', 'b'), ['a', 'b'], { type: 'text' }, 'a, b'],
    [{ type: 'number' }, 3, choice('choice', '3'), '3'],
    [{ type: 'number' }, null, { type: 'boolean' }, null],
  ])('%j: what leads hold, such as %j, fits %j', async (from, held, to, becomes) => {
    const { id, name } = await addField(from);
    const [lead, without] = [await addLead({ [name]: held, other: 'x' }), await addLead({ other: 'x' })];
    const answer = await put(id, to);
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
    expect(answer.body).toMatchObject(to);
    expect(await customOf(lead)).toEqual({ [name]: becomes, other: 'x' });
    expect(await customOf(without)).toEqual({ other: 'x' });
  });

  test.each<[from: object, fits: unknown, held: unknown[], to: object]>([
    [{ type: 'text' }, '1', ['one', 'Infinity', '1e400', '0x10', '1,5'], { type: 'number' }],
    [{ type: 'number' }, 1, [2, 1.5], choice('choice', '1')],
    [{ type: 'text' }, 'true', ['yes', '1'], { type: 'boolean' }],
    [{ type: 'text' }, '529.982.247-25', ['529.982.247-26'], { type: 'cpf' }],
    [choice('multi_choice', 'a', 'b'), ['a'], [['a', 'b'], []], choice('choice', 'a', 'b')],
    [choice('choice', 'a', 'b'), 'a', ['b'], choice('multi_choice', 'a')],
    [{ type: 'boolean' }, null, [true, false], { type: 'date' }],
  ])('%j is refused while leads hold what does not fit, with their count', async (from, fits, held, to) => {
    const { id, name } = await addField(from);
    const values = [fits, ...held];
    const leads = await Promise.all(values.map((value) => addLead({ [name]: value })));
    const before = await Promise.all(leads.map(customOf));
    const { status, body } = await put(id, { ...to, name: nameOf() });
    const who = held.length === 1 ? '1 lead' : `${held.length} leads`;
    const { type } = to as { type: string };
    expect([status, body]).toEqual([
      409,
      { code: 'conflict', message: `type: ${who} have a value of "${name}" that is not a valid ${type}.` },
    ]);
    expect(await Promise.all(leads.map(customOf))).toEqual(before);
    const field = await gateway.database.field.findFirstOrThrow({ where: { id } });
    expect(field).toMatchObject({ name, type: (from as { type: string }).type });
  });

  test('and another name at once carries and converts', async () => {
    const { id, name } = await addField();
    const lead = await addLead({ [name.toUpperCase()]: '7' });
    const next = nameOf();
    expect((await put(id, { name: next, type: 'number' })).status).toBe(200);
    expect(await customOf(lead)).toEqual({ [next]: 7 });
  });

  test('leaves an option that is taken away where it was chosen', async () => {
    const { id, name } = await addField(choice('choice', 'a', 'b'));
    const lead = await addLead({ [name]: 'b' });
    expect((await put(id, { options: ['a'] })).status).toBe(200);
    expect(await customOf(lead)).toEqual({ [name]: 'b' });
  });
});

describe('what a visitor told', () => {
  test('is kept under the name and the type that its field has by then, and so is where it was told', async () => {
    const { id, name } = await addField();
    const told = { field: name, fieldId: id, value: '30', from: { index: 0 } };
    const agent = await gateway.rest(home.owner, 'POST', '/graphql', {
      query: 'mutation { createAgent(input: { name: "A" }) { agent { id } } }',
    });
    const said = await gateway.rest(home.app, 'POST', `/api/${agent.body.data.createAgent.agent.id}`, {
      message: { content: 'My email is told@example.com' },
    });
    const { id: leadId } = said.body.lead;
    const messageId = (await gateway.database.message.findFirstOrThrow({ where: { conversationId: said.body.id } })).id;
    const origin = { workspaceId: home.id, leadId, value: '30', messageId };
    await gateway.database.leadValue.create({ data: { ...origin, field: name } });
    const next = nameOf();
    await gateway.database.leadValue.create({ data: { ...origin, field: next } });
    expect((await put(id, { name: next, type: 'number' })).status).toBe(200);
    const origins = await gateway.database.leadValue.findMany({ where: { workspaceId: home.id, leadId } });
    expect(origins.map(({ field }) => field).sort()).toEqual([next, 'email'].sort());
    const read = (value: string) =>
      transact(gateway.database, (tx) => currentValues(tx, home.id, [{ ...told, value }]));
    expect(await read('30')).toEqual([{ ...told, field: next, value: 30 }]);
    expect(await read('many')).toEqual([]);
    expect((await put(id, { type: 'text' })).status).toBe(200);
    expect(await read('30')).toEqual([{ ...told, field: next }]);
  });
});

test('who may not write fields, or is of another workspace, moves no value', async () => {
  const { id, name } = await addField();
  const lead = await addLead({ [name]: 'x' });
  const rename = (viewer: Viewer | null) => gateway.rest(viewer, 'PUT', `/rest/fields/${id}`, { name: nameOf() });
  expect((await rename(null)).status).toBe(401);
  expect((await rename(home.viewer)).status).toBe(403);
  expect((await rename(other.owner)).status).toBe(404);
  expect(await customOf(lead)).toEqual({ [name]: 'x' });
});
