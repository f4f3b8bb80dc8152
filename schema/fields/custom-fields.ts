import {
  createField,
  deleteField,
  disableField,
  enableField,
  fieldList,
  updateField,
} from '../../src/domain/fields/custom-fields.ts';
import { builder } from '../builder.ts';
import { defineList, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { auditFields } from '../workspace/actors.ts';

const FieldType = builder.enumType('FieldType', {
  description: 'What values a custom field holds.',
  values: {
    text: { description: 'Any text.' },
    email: { description: 'An email address.' },
    phone: { description: 'A phone number; kept in E.164.' },
    number: { description: 'A number.' },
    url: { description: 'A web address, http or https.' },
    boolean: { description: 'True or false.' },
    date: { description: 'A date such as 2026-07-31, or a date and time, in ISO 8601.' },
    choice: { description: 'One of the options.' },
    multi_choice: { description: 'A list of some of the options.' },
    cpf: { description: 'A Brazilian personal tax number with right check digits; kept without punctuation.' },
    cnpj: { description: 'A Brazilian company number, numeric or alphanumeric; kept without punctuation.' },
  } as const,
});

const Field = builder.prismaNode('Field', {
  description: "A custom field: something that the workspace wants to know of its leads, kept in a lead's `custom`.",
  id: { field: 'id', description: 'The id of the field, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called, and its key in `custom`.' }),
    description: t.exposeString('description', { description: 'What it is about, for people; may be empty.' }),
    active: t.exposeBoolean('active', { description: 'Whether values of leads are checked by it.' }),
    fixed: t.exposeBoolean('fixed', { description: 'Whether it is built in and cannot be changed.' }),
    type: t.expose('type', { type: FieldType, description: 'What values it holds.' }),
    options: t.exposeStringList('options', { description: 'What can be chosen; empty unless it is a choice.' }),
    ...auditFields(t),
  }),
});

export const FieldList = defineList(Field, 'Field', fieldList, {
  orders: { createdAt: 'When it was made.', name: 'What it is called.' },
  filter: {
    type: { type: FieldType, description: 'Fields of one of these types.' },
    active: { type: 'Boolean', description: 'Fields that are active (true) or not (false).' },
    fixed: { type: 'Boolean', description: 'Fields that are built in (true) or not (false).' },
    ids: { type: 'ID', description: 'Fields with one of these ids.' },
    name: { description: 'What it is called.' },
    createdAt: { description: 'Fields made in this span of time.' },
    updatedAt: { description: 'Fields changed last in this span of time.' },
  },
  search: 'Text to find in the name and the description; case and accents do not matter.',
  groups: {
    moments: { createdAt: 'When it was made.' },
    by: {
      type: { type: FieldType, description: 'What its values are.' },
      active: { type: 'Boolean', description: 'Whether values can be given for it.' },
      fixed: { type: 'Boolean', description: 'Whether it is built in.' },
    },
  },
});

builder.queryFields((t) => ({
  fields: rootConnection(t, FieldList, 'The custom fields of the workspace, newest first.'),
  field: rootRow(t, FieldList, 'One custom field.'),
}));

const texts = {
  name: 'What it is called; unique in the workspace, whatever its case and accents.',
  type: 'What values it holds.',
};
const fieldFields = (t: InputBuilder) => ({
  description: t.string({ description: 'What it is about, for people.' }),
  options: t.stringList({
    description: 'What can be chosen: at least one for choice and multi_choice, none for others.',
  }),
});
const answers: [string, unknown, string] = ['field', Field, 'The field as it is now.'];
const fieldId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the field.' });

rowMutation('createField', {
  description: 'Defines a custom field. It is active at once.',
  answers,
  input: (t) => ({
    name: t.string({ required: true, description: texts.name }),
    type: t.field({ type: FieldType, required: true, description: texts.type }),
    ...fieldFields(t),
  }),
  write: createField,
});

rowMutation('updateField', {
  updates: { model: 'Field' },
  description:
    'Changes what is given of a custom field; what is left out stays. What leads hold under it goes along with its name and ' +
    'is converted to its type; where a value does not fit, or a lead would hold two, it is `conflict` and nothing changes.',
  answers,
  input: (t) => ({
    id: fieldId(t),
    name: t.string({ description: texts.name }),
    type: t.field({ type: FieldType, description: texts.type }),
    ...fieldFields(t),
  }),
  permission: 'fields.write',
  resolve: (context, { id, ...input }) => updateField(context, id, input as never),
});

deleteMutation('deleteField', {
  updates: { model: 'Field' },
  description: 'Removes a custom field that is not built in. Leads keep their values of it.',
  what: 'field',
  write: deleteField,
});

for (const [name, write, description] of [
  ['enableField', enableField, 'Lets values of leads be checked by a custom field.'],
  ['disableField', disableField, 'Lets values of leads be anything again; the field is kept.'],
] as const) {
  rowMutation(name, {
    updates: { model: 'Field' },
    description,
    answers,
    input: (t) => ({ id: fieldId(t) }),
    write,
  });
}
