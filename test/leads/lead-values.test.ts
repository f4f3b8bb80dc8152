import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { expectFailure, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
const create = 'mutation ($input: CreateLeadInput!) { createLead(input: $input) { lead { custom } } }';

const addField = async (viewer: Viewer, input: object) => {
  const document = 'mutation ($input: CreateFieldInput!) { createField(input: $input) { field { id } } }';
  return (await gateway.data(viewer, document, { input })).createField.field.id as string;
};
describe('a custom value of a known field', () => {
  let workspace: TestWorkspace;
  let other: TestWorkspace;
  beforeAll(async () => {
    workspace = await makeWorkspace(gateway);
    other = await makeWorkspace(gateway);
    const options = ['Red', 'Blue'];
    for (const type of ['text', 'email', 'phone', 'number', 'url', 'boolean', 'date', 'cpf', 'cnpj']) {
      await addField(workspace.editor, { name: `My ${type}`, type });
    }
    for (const type of ['choice', 'multi_choice'])
      await addField(workspace.editor, { name: `My ${type}`, type, options });
  });
  const give = (key: string, value: unknown) =>
    gateway.graphql(workspace.editor, create, { input: { name: 'Ana', custom: { [key]: value } } });

  test.each([
    ['text', 'any', 'any'],
    ['email', 'A@B.com', 'a@b.com'],
    ['phone', '11 98765-4321', '+5511987654321'],
    ['number', 1.5, 1.5],
    ['url', 'https://example.com/a?b=c', 'https://example.com/a?b=c'],
    ['boolean', false, false],
    ['date', '2026-07-31', '2026-07-31'],
    ['date', '2026-07-31T10:00:00-03:00', '2026-07-31T10:00:00-03:00'],
    ['choice', 'Red', 'Red'],
    ['multi_choice', ['Blue', 'Red'], ['Blue', 'Red']],
    ['cpf', '529.982.247-25', '52998224725'],
    ['cnpj', '11.222.333/0001-81', '11222333000181'],
    ['cnpj', '12.abc.345/01de-35', '12ABC34501DE35'],
  ])('of type %s may be %j', async (type, given, kept) => {
    expect((await give(`My ${type}`, given)).data.createLead.lead.custom).toEqual({ [`My ${type}`]: kept });
  });

  test.each([
    ['text', 1],
    ['email', 'a'],
    ['phone', '1'],
    ['number', '1'],
    ['url', 'javascript:alert(1)'],
    ['boolean', 'true'],
    ['date', '31/07/2026'],
    ['date', '2026-02-30'],
    ['choice', 'red'],
    ['multi_choice', 'Red'],
    ['multi_choice', ['Red', 'Red']],
    ['multi_choice', ['Green']],
    ['cpf', '52998224724'],
    ['cpf', '11111111111'],
    ['cnpj', '11222333000182'],
    ['cnpj', '12ABC34501DE34'],
  ])('of type %s may not be %j', async (type, given) => {
    expectFailure(await give(`My ${type}`, given), 'invalid_request', new RegExp(`^custom\\.My ${type}(\\.0)?: `));
  });

  test('may be null, whatever the type', async () => {
    expect((await give('My cpf', null)).data.createLead.lead.custom).toEqual({ 'My cpf': null });
  });

  test('is known whatever the case and accents of its key, which stays as given', async () => {
    await addField(workspace.editor, { name: 'Situação', type: 'boolean' });
    expectFailure(await give('SITUACAO', 'yes'), 'invalid_request', /^custom\.SITUACAO: /);
    expect((await give('situacao', true)).data.createLead.lead.custom).toEqual({ situacao: true });
  });

  test('is anything once its field is disabled, and elsewhere', async () => {
    const id = await addField(workspace.editor, { name: 'Age', type: 'number' });
    expectFailure(await give('age', 'old'), 'invalid_request');
    const elsewhere = await gateway.data(other.editor, create, { input: { custom: { age: 'old' } } });
    expect(elsewhere.createLead.lead.custom).toEqual({ age: 'old' });
    await gateway.data(workspace.editor, `mutation { disableField(input: { id: "${id}" }) { field { active } } }`);
    expect((await give('age', 'old')).data.createLead.lead.custom).toEqual({ age: 'old' });
  });
});
