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
import { rowById } from '../shared/row-by-id.ts';
import { auditFields } from '../workspace/actors.ts';

const FieldType = builder.enumType('FieldType', {
  description: 'The type of value a custom field holds.',
  values: {
    text: { description: 'Any text.' },
    email: { description: 'An email address.' },
    phone: { description: 'A phone number, stored in E.164.' },
    number: { description: 'A number.' },
    url: { description: 'A web address, http or https.' },
    boolean: { description: 'True or false.' },
    date: { description: 'A date such as 2026-07-31, or a date and time, in ISO 8601.' },
    choice: { description: 'One of the options.' },
    multi_choice: { description: 'A list of options.' },
    cpf: { description: 'A Brazilian personal tax number (CPF) with valid check digits, stored without punctuation.' },
    cnpj: { description: 'A Brazilian company number (CNPJ), numeric or alphanumeric, stored without punctuation.' },
  } as const,
});

const Field = builder.prismaNode('Field', {
  description:
    'A custom field: something the workspace wants to know about its leads, stored in the `custom` field of ' +
    'a lead.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the field, the same in REST.' },
  nullable: true,
  findUnique: rowById('Field'),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the field, and its key in `custom`.' }),
    description: t.exposeString('description', {
      description: 'A description of the field, for people; may be empty.',
    }),
    active: t.exposeBoolean('active', { description: 'Whether values of leads are validated against the field.' }),
    fixed: t.exposeBoolean('fixed', { description: 'Whether the field is built in and cannot be changed.' }),
    type: t.expose('type', { type: FieldType, description: 'The type of value the field holds.' }),
    options: t.exposeStringList('options', {
      description: 'The available options; empty unless the field is a choice.',
    }),
    ...auditFields(t),
  }),
});

export const FieldList = defineList(Field, 'Field', fieldList, {
  orders: { createdAt: 'When the field was created.', name: 'The name of the field.' },
  filter: {
    type: { type: FieldType, description: 'Fields of one of these types.' },
    active: { type: 'Boolean', description: 'Fields that are active (`true`) or inactive (`false`).' },
    fixed: { type: 'Boolean', description: 'Fields that are built in (`true`) or not (`false`).' },
    ids: { type: 'ID', description: 'Fields with one of these IDs.' },
    name: { description: 'The name of the field.' },
    createdAt: { description: 'Fields created in this time range.' },
    updatedAt: { description: 'Fields last updated in this time range.' },
  },
  search: 'Text to find in the name and description, ignoring case and accents.',
  groups: {
    moments: { createdAt: 'When the field was created.' },
    by: {
      type: { type: FieldType, description: 'The type of value the field holds.' },
      active: { type: 'Boolean', description: 'Whether the field is active.' },
      fixed: { type: 'Boolean', description: 'Whether the field is built in.' },
    },
  },
});

builder.queryFields((t) => ({
  fields: rootConnection(t, FieldList, 'A list of the custom fields in the workspace, newest first.'),
  field: rootRow(t, FieldList, 'Returns a custom field by ID.'),
}));

const texts = {
  name: 'The name of the field. Must be unique in the workspace, ignoring case and accents.',
  type: 'The type of value the field holds.',
};
const fieldFields = (t: InputBuilder) => ({
  description: t.string({ description: 'A description of the field, for people.' }),
  options: t.stringList({
    description: 'The available options: at least one for `choice` and `multi_choice`, none for other types.',
  }),
});
const payload = { field: 'field', type: Field, description: 'The created or updated field.' };
const fieldId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the field.' });

rowMutation('createField', {
  description: 'Creates a custom field, which is active immediately.',
  payload,
  input: (t) => ({
    name: t.string({ required: true, description: texts.name }),
    type: t.field({ type: FieldType, required: true, description: texts.type }),
    ...fieldFields(t),
  }),
  write: createField,
});

rowMutation('updateField', {
  description:
    'Updates a custom field. Omitted fields are unchanged. Values stored on leads follow a new name and are ' +
    'converted to a new type; if a value does not fit, or a lead would have two, the mutation fails with ' +
    '`conflict` and nothing changes.',
  payload,
  input: (t) => ({
    id: fieldId(t),
    name: t.string({ description: texts.name }),
    type: t.field({ type: FieldType, description: texts.type }),
    ...fieldFields(t),
  }),
  write: updateField,
});

deleteMutation('deleteField', {
  description: 'Deletes a custom field that is not built in. Leads keep their values for it.',
  what: 'field',
  write: deleteField,
});

for (const [name, write, description] of [
  ['enableField', enableField, 'Enables a custom field, so that values of leads are validated against it.'],
  [
    'disableField',
    disableField,
    'Disables a custom field, so that leads may hold any value for it. The field is kept.',
  ],
] as const) {
  rowMutation(name, {
    description,
    payload,
    input: (t) => ({ id: fieldId(t) }),
    write,
  });
}
