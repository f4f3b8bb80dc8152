import { z } from 'zod';
import {
  createdBy,
  exampleId,
  givenObject,
  nullableText,
  openObject,
  text,
  times,
  updatedBy,
  utmKeys,
  workspaceId,
} from './common.ts';

const capture = z.enum(['completed', 'partial']);

export const lead = z
  .strictObject({
    id: text('Unique ID of the lead, the same in GraphQL.'),
    workspaceId,
    agentId: nullableText('ID of the agent that captured the lead.'),
    name: nullableText('The name of the person.'),
    email: nullableText('The email address, in lowercase.'),
    phone: nullableText('The phone number, in E.164 format.'),
    company: nullableText('The company of the person.'),
    site: nullableText('The website of the person or company.'),
    custom: openObject('Values of custom fields, by field name.'),
    utm: openObject('UTM parameters of the campaign behind the lead.'),
    capture: capture.meta({
      description: 'How complete the lead is: `completed` with a name and a way to reach the person.',
    }),
    ...times,
  })
  .meta({ id: 'Lead', description: 'A contact record.' });

export const leadInput = z
  .object({
    agentId: z.string().nullish().meta({ description: 'ID of the agent that captured the lead.' }),
    name: z.string().nullish().meta({ description: 'The name of the person.' }),
    email: z.string().nullish().meta({ description: 'The email address. It is stored in lowercase.' }),
    phone: z
      .string()
      .nullish()
      .meta({
        description: 'The phone number. It is stored in E.164 format. Without `+`, it is read as a Brazilian number.',
        examples: ['+5511987654321', '+14155552671', '(11) 98765-4321'],
      }),
    company: z.string().nullish().meta({ description: 'The company of the person.' }),
    site: z.string().nullish().meta({ description: 'The website of the person or company.' }),
    custom: givenObject("Values by key. Those that name a custom field are validated against the field's type."),
    utm: z.looseObject(utmKeys).nullish().meta({ description: 'UTM parameters of the campaign behind the lead.' }),
    capture: capture.nullish().meta({
      description:
        'How complete the lead is. Defaults to `completed` with a name and an email or phone, otherwise `partial`.',
    }),
  })
  .meta({
    description: 'At least one of `name`, `email`, `phone`, `company`, `site` and `custom` is required.',
    examples: [
      {
        agentId: exampleId('agt'),
        name: 'Ana Souza',
        email: 'ana@example.com',
        custom: {},
        utm: { source: 'newsletter' },
      },
    ],
  });

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
