import { describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { createBuiltInFields } from '../../src/domain/fields/custom-fields.ts';
import { expectFailure } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { useWorkspaces } from '../support/gateway/workspaces.ts';

const { gateway, home, other } = useWorkspaces();

const fields = 'id name description active fixed type options createdBy updatedBy';
const create = `mutation ($input: CreateFieldInput!) { createField(input: $input) { field { ${fields} } } }`;
const update = `mutation ($input: UpdateFieldInput!) { updateField(input: $input) { field { ${fields} } } }`;
const remove = 'mutation ($input: DeleteFieldInput!) { deleteField(input: $input) { field { id deleted } } }';
const enable = `mutation ($input: EnableFieldInput!) { enableField(input: $input) { field { ${fields} } } }`;
const disable = `mutation ($input: DisableFieldInput!) { disableField(input: $input) { field { ${fields} } } }`;

let count = 0;
const add = async (viewer: Viewer, input: object = {}) =>
  (await gateway.data(viewer, create, { input: { name: `Field ${++count}`, type: 'text', ...input } })).createField
    .field;
const change = async (input: object) => (await gateway.data(home.editor, update, { input })).updateField.field;

describe('a new field', () => {
  test('is active, not built in, and says by whom it was made', async () => {
    expect(await add(home.editor, { name: ' Budget ', type: 'number' })).toEqual({
      id: expect.stringMatching(/^fld_/),
      name: 'Budget',
      description: '',
      active: true,
      fixed: false,
      type: 'number',
      options: [],
      createdBy: home.editor.userId,
      updatedBy: home.editor.userId,
    });
  });

  test.each(['choice', 'multi_choice'])('of type %s keeps its options in order', async (type) => {
    expect(await add(home.editor, { type, options: ['b ', 'a'] })).toMatchObject({ type, options: ['b', 'a'] });
  });

  test.each([
    [{ name: ' ' }, /^name: must not be empty/],
    [{ name: 'x'.repeat(201) }, /^name: must have at most 200/],
    [{ description: 'x'.repeat(2001) }, /^description: must have at most 2,000/],
    [{ type: 'choice' }, /^options: .*at least one/],
    [{ type: 'multi_choice', options: [] }, /^options: .*at least one/],
    [{ type: 'choice', options: null }, /^options: .*at least one/],
    [{ type: 'choice', options: ['a', ' a'] }, /^options: must not repeat/],
    [{ type: 'choice', options: ['a', ' '] }, /^options\.1: must not be empty/],
    [{ type: 'text', options: ['a'] }, /^options: .*cannot have options/],
    [{ type: 'colour' }, /type/],
    [{ type: null }, /type/],
    [{ name: null }, /name/],
  ])('is refused with %j', async (input, message) => {
    const full = { name: `Field ${++count}`, type: 'text', ...input };
    expectFailure(await gateway.graphql(home.editor, create, { input: full }), 'invalid_request', message);
  });

  test('may not have the name of another, whatever its case and accents; that of another workspace it may', async () => {
    await add(home.editor, { name: 'Situação' });
    const twin = { input: { name: 'SITUACAO', type: 'text' } };
    expectFailure(await gateway.graphql(home.editor, create, twin), 'conflict', /name/);
    expect(await add(other.editor, { name: 'Situação' })).toMatchObject({ name: 'Situação' });
  });
});

describe('an update of a field', () => {
  test('keeps what is left out', async () => {
    const { id } = await add(home.editor, { name: 'Color', type: 'choice', options: ['a'], description: 'd' });
    expect(await change({ id, options: ['a', 'b'] })).toMatchObject({
      name: 'Color',
      description: 'd',
      options: ['a', 'b'],
    });
    expect(await change({ id, description: null })).toMatchObject({ description: '', options: ['a', 'b'] });
    expect(await change({ id, type: 'multi_choice' })).toMatchObject({ type: 'multi_choice', options: ['a', 'b'] });
  });

  test('may change the type, and forgets options when it is no choice any more', async () => {
    const { id } = await add(home.editor, { type: 'choice', options: ['a'] });
    expect(await change({ id, type: 'text' })).toMatchObject({ type: 'text', options: [] });
    const refused = (input: object) => gateway.graphql(home.editor, update, { input: { id, ...input } });
    expectFailure(await refused({ type: 'choice' }), 'invalid_request', /^options: .*at least one/);
    expectFailure(await refused({ options: ['a'] }), 'invalid_request', /^options: .*cannot have options/);
    expectFailure(await refused({ name: null }), 'invalid_request', /^name: /);
    expect(await change({ id })).toMatchObject({ type: 'text', options: [] });
  });

  test('may not take the name of another, but its own in another case', async () => {
    const { id } = await add(home.editor, { name: 'One' });
    await add(home.editor, { name: 'Two' });
    expectFailure(await gateway.graphql(home.editor, update, { input: { id, name: 'TWO' } }), 'conflict', /name/);
    expect(await change({ id, name: 'ONE' })).toMatchObject({ name: 'ONE' });
  });

  test('is found under its new texts', async () => {
    const { id } = await add(home.editor, { name: 'Vegetable', description: 'green' });
    await change({ id, name: 'Maçã' });
    const find = async (search: string) =>
      (await gateway.data(home.viewer, `{ fields(search: "${search}") { nodes { id } } }`)).fields.nodes;
    expect(await find('vegetable')).toEqual([]);
    expect(await find('maca')).toEqual([{ id }]);
    await change({ id, description: 'Vermelha' });
    expect(await find('VERMELHA')).toEqual([{ id }]);
  });
});

test('a field is disabled and enabled, again without change', async () => {
  const { id } = await add(home.editor);
  for (const [document, name, active] of [
    [disable, 'disableField', false],
    [disable, 'disableField', false],
    [enable, 'enableField', true],
    [enable, 'enableField', true],
  ] as const) {
    const data = await gateway.data(home.admin, document, { input: { id } });
    expect(data[name].field).toMatchObject({ id, active, updatedBy: home.admin.userId });
  }
});

test('a field that is removed is no more', async () => {
  const { id } = await add(home.editor);
  expect(await gateway.data(home.editor, remove, { input: { id } })).toEqual({
    deleteField: { field: { id, deleted: true } },
  });
  expectFailure(await gateway.graphql(home.editor, remove, { input: { id } }), 'not_found', /^Field not found/);
});

const writes = { update, remove, enable, disable };

test('a built-in field is there from the start and cannot be changed', async () => {
  const workspace = await makeWorkspace(gateway);
  await createBuiltInFields(gateway.database, workspace.id, 'x');
  await createBuiltInFields(gateway.database, workspace.id, 'x');
  const document =
    '{ fields(filter: { fixed: true }, orderBy: { field: name, direction: asc }) { nodes { id name type active } } }';
  const { nodes } = (await gateway.data(workspace.viewer, document)).fields;
  expect(nodes.map(({ name, type, active }: Record<string, unknown>) => [name, type, active])).toEqual([
    ['company', 'text', true],
    ['email', 'email', true],
    ['name', 'text', true],
    ['phone', 'phone', true],
    ['site', 'url', true],
  ]);
  for (const document of Object.values(writes)) {
    expectFailure(
      await gateway.graphql(workspace.owner, document, { input: { id: nodes[0].id } }),
      'forbidden',
      /built in/,
    );
  }
});

test('a field of another workspace is not found', async () => {
  const { id } = await add(other.editor);
  for (const document of Object.values(writes)) {
    expectFailure(await gateway.graphql(home.owner, document, { input: { id } }), 'not_found', /^Field not found/);
  }
  expectFailure(await gateway.graphql(home.owner, `{ field(id: "${id}") { name } }`), 'not_found');
  expect(await gateway.data(home.owner, `{ node(id: "${id}") { id } }`)).toEqual({ node: null });
});

test('fields are read by a viewer and written by an editor', async () => {
  const { id, name } = await add(home.app);
  expect(await gateway.data(home.viewer, `{ field(id: "${id}") { name workspace { id } } }`)).toEqual({
    field: { name, workspace: { id: home.id } },
  });
  expectFailure(
    await gateway.graphql(home.viewer, create, { input: { name: 'x', type: 'text' } }),
    'forbidden',
    /role viewer/,
  );
  for (const document of Object.values(writes)) {
    expectFailure(await gateway.graphql(home.viewer, document, { input: { id } }), 'forbidden', /role viewer/);
  }
});

test('the list of fields is filtered and sorted', async () => {
  const workspace = await makeWorkspace(gateway);
  await add(workspace.editor, { name: 'b', type: 'number' });
  const { id } = await add(workspace.editor, { name: 'a', type: 'url' });
  await gateway.data(workspace.editor, disable, { input: { id } });
  const names = async (args: string) =>
    (await gateway.data(workspace.viewer, `{ fields${args} { nodes { name } } }`)).fields.nodes.map(
      (field: { name: string }) => field.name,
    );
  expect(await names('')).toEqual(['a', 'b']);
  expect(await names('(orderBy: { field: name, direction: desc })')).toEqual(['b', 'a']);
  expect(await names('(filter: { type: [number, text] })')).toEqual(['b']);
  expect(await names('(filter: { active: false })')).toEqual(['a']);
  expect(await names('(filter: { fixed: true })')).toEqual([]);
});
