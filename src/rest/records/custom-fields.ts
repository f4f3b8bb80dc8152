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
    id: text('Unique ID of the field, the same in GraphQL.'),
    name: text('The name of the field, and its key in `custom` of a lead.'),
    description: text('A description of the field, for people. May be empty.'),
    workspaceId,
    createdBy,
    updatedBy,
    active: z.boolean().meta({ description: 'Whether values of leads are validated against the field.' }),
    type: z.enum(fieldTypes).meta({ description: 'The type of values.' }),
    options: z.array(z.string()).meta({ description: 'The options to choose from. Empty unless it is a choice.' }),
    ...times,
  })
  .meta({ id: 'UpdatedField', description: 'A custom field as returned by its update, without `fixed`.' });

export const field = z
  .strictObject({
    ...updatedField.shape,
    fixed: z.boolean().meta({ description: 'Whether the field is built in and cannot be changed.' }),
  })
  .meta({ id: 'Field', description: 'A custom field of leads.' });

const optional = {
  description: z.string().nullish().meta({ description: 'A description of the field, for people.' }),
  options: z
    .array(z.string())
    .nullish()
    .meta({ description: 'The options: at least one for `choice` and `multi_choice`, none for other types.' }),
};

const name = z.string().meta({ description: 'The name of the field. Unique in the workspace.' });
const type = z.enum(fieldTypes).meta({ description: 'The type of values.' });

export const fieldInput = z.object({ name, type, ...optional }).meta({
  examples: [{ name: 'Plan', description: 'The plan they ask for', type: 'choice', options: ['Basic', 'Pro'] }],
});

export const fieldChange = z
  .object({ name: name.optional(), type: type.optional(), ...optional })
  .meta({ examples: [{ options: ['Basic', 'Pro', 'Enterprise'] }] });
