import { z } from 'zod';
import { createdBy, text, times, updatedBy, workspaceId } from './common.ts';

const fieldTypes = [
  'text',
  'email',
  'phone',
  'number',
  'url',
  'boolean',
  'date',
  'choice',
  'multi_choice',
  'cpf',
  'cnpj',
] as const;

export const updatedField = z
  .strictObject({
    id: text('The id of the field, the same in GraphQL.'),
    name: text('What it is called, and its key in `custom` of a lead.'),
    description: text('What it is about, for people; may be empty.'),
    workspaceId,
    createdBy,
    updatedBy,
    active: z.boolean().meta({ description: 'Whether values of leads are checked by it.' }),
    type: z.enum(fieldTypes).meta({ description: 'What values it holds.' }),
    options: z.array(z.string()).meta({ description: 'What can be chosen; empty unless it is a choice.' }),
    ...times,
  })
  .meta({ id: 'UpdatedField', description: 'A custom field, as its update answers it: without `fixed`.' });

export const field = z
  .strictObject({
    ...updatedField.shape,
    fixed: z.boolean().meta({ description: 'Whether it is built in and cannot be changed.' }),
  })
  .meta({ id: 'Field', description: 'A custom field of leads.' });

const optional = {
  description: z.string().nullish().meta({ description: 'What it is about, for people.' }),
  options: z
    .array(z.string())
    .nullish()
    .meta({ description: 'What can be chosen: at least one for choice and multi_choice, none for other types.' }),
};

const name = z.string().meta({ description: 'What it is called; unique in the workspace.' });
const type = z.enum(fieldTypes).meta({ description: 'What values it holds.' });

export const fieldInput = z.object({ name, type, ...optional }).meta({
  examples: [{ name: 'Plan', description: 'The plan they ask for', type: 'choice', options: ['Basic', 'Pro'] }],
});

export const fieldChange = z
  .object({ name: name.optional(), type: type.optional(), ...optional })
  .meta({ examples: [{ options: ['Basic', 'Pro', 'Enterprise'] }] });
