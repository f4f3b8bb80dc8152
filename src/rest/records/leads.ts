import { z } from 'zod';
import { givenObject, maybeText, openObject, text, times, utmKeys, workspaceId } from './common.ts';

const capture = z.enum(['completed', 'partial']);

export const lead = z
  .strictObject({
    id: text('The id of the lead, the same in GraphQL.'),
    workspaceId,
    agentId: maybeText('The agent that captured it.'),
    name: maybeText('What the person is called.'),
    email: maybeText('The email address, in lower case.'),
    phone: maybeText('The phone number, in E.164.'),
    company: maybeText('The company that the person speaks for.'),
    site: maybeText('The site of the person or the company.'),
    custom: openObject('Values of custom fields, by the name of the field.'),
    utm: openObject('The campaign that brought it.'),
    capture: capture.meta({ description: 'How much is known: `completed` with a name and a way to reach the person.' }),
    ...times,
  })
  .meta({ id: 'Lead', description: 'A contact record.' });

export const leadInput = z
  .object({
    agentId: z.string().nullish().meta({ description: 'The agent that captured it.' }),
    name: z.string().nullish().meta({ description: 'What the person is called.' }),
    email: z.string().nullish().meta({ description: 'The email address; it is kept in lower case.' }),
    phone: z
      .string()
      .nullish()
      .meta({
        description: 'The phone number; it is kept in E.164. Without + it is read as a Brazilian number.',
        examples: ['+5511987654321', '+14155552671', '(11) 98765-4321'],
      }),
    company: z.string().nullish().meta({ description: 'The company that the person speaks for.' }),
    site: z.string().nullish().meta({ description: 'The site of the person or the company.' }),
    custom: givenObject('Values by key; those that name a custom field are checked by its type.'),
    utm: z.looseObject(utmKeys).nullish().meta({ description: 'The campaign that brought it.' }),
    capture: capture.nullish().meta({
      description: 'How much is known; left out: `completed` with a name and an email or phone, else `partial`.',
    }),
  })
  .meta({
    description: 'At least one of name, email, phone, company, site and custom must be given.',
    examples: [{ name: 'Ana Souza', email: 'ana@example.com', custom: {}, utm: { source: 'newsletter' } }],
  });
