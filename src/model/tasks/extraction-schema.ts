import type { JSONSchema7 } from '@ai-sdk/provider';
import { z } from 'zod';
import { isObject, parsedJson } from '../../core/json.ts';
import type { FieldType } from '../../database/generated/prisma/enums.ts';
import type { WantedField } from '../capture/capture-fields.ts';
import { collapseSpaces } from '../reply/text.ts';
import type { JsonValue } from '../types.ts';

/** A field's value, and the index of the message in which it was stated. */
export type ExtractedValue = { field: string; value: JsonValue; message: number };

/** With more options than this, the schema allows any text, which is matched against the options afterwards. */
const maxOptions = 50;

const text: JSONSchema7 = { type: 'string' };
const option = (options: string[]): JSONSchema7 => (options.length > maxOptions ? text : { ...text, enum: options });
const schemas: Record<FieldType, (options: string[]) => JSONSchema7> = {
  text: () => text,
  email: () => text,
  phone: () => text,
  number: () => ({ type: 'number' }),
  url: () => text,
  boolean: () => ({ type: 'boolean' }),
  date: () => text,
  choice: option,
  multi_choice: (options) => ({ type: 'array', items: option(options) }),
  cpf: () => text,
  cnpj: () => text,
};

const texts = z.string().trim().min(1).max(10_000);
const types: Record<FieldType, z.ZodType<JsonValue>> = {
  text: texts,
  email: texts,
  phone: texts,
  number: z.number(),
  url: texts,
  boolean: z.boolean(),
  date: texts,
  choice: texts,
  multi_choice: z.array(texts).min(1),
  cpf: texts,
  cnpj: texts,
};

/** A key that every provider accepts, whatever the field is called. */
const keyOf = ({ name }: WantedField, index: number): string =>
  /^[a-z]{1,40}$/.test(name) ? name : `field_${index + 1}`;

/** The schema of the reply: for each field its value and message number, or null. All keys are required. */
export function schemaOf(fields: WantedField[]): JSONSchema7 {
  const properties = fields.map((field, index): [string, JSONSchema7] => {
    const value = schemas[field.type](field.options);
    return [keyOf(field, index), { anyOf: [closed({ value, message: { type: 'integer' } }), { type: 'null' }] }];
  });
  return closed(Object.fromEntries(properties));
}

const closed = (properties: Record<string, JSONSchema7>): JSONSchema7 => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** The fields as a list for the prompt. */
export const fieldList = (fields: WantedField[]): string =>
  fields
    .map((field, index) => {
      const { name, type, description, options } = field;
      const fieldText = collapseSpaces([name, description].filter(Boolean).join(': ')).slice(0, 500);
      const chosen = options.length > 0 ? `, of: ${JSON.stringify(options)}` : '';
      return `- ${keyOf(field, index)} (${written[type] ?? type}${chosen}): ${fieldText}`;
    })
    .join('\n');

const written: Partial<Record<FieldType, string>> = {
  date: 'YYYY-MM-DD',
  boolean: 'true or false',
  choice: 'one option',
  multi_choice: 'a list of options',
};

/** The reply format in words, for models that are given no schema. */
export const shapeOf = (fields: WantedField[]): string =>
  `Answer with one JSON object and nothing around it. Its keys are ${fields.map(keyOf).join(', ')}; what stands behind each is null when the visitor did not say it, else {"value": what they said, "message": the number of the message that they said it in}.`;

/** Returns the values in a reply that have the type of their field; null if the reply contains no JSON object. */
export function readExtraction(
  answer: string,
  { fields, messages }: { fields: WantedField[]; messages: { role: string }[] },
): ExtractedValue[] | null {
  const read = objectIn(answer);
  if (!read) return null;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return fields.flatMap((field, index) => {
    const stated = statedValue.safeParse(read[keyOf(field, index)]).data;
    const value = types[field.type].safeParse(stated?.value).data;
    if (!stated || value === undefined) return [];
    const messageNumber = Number(stated.message) - 1;
    return [{ field: field.name, value, message: messages[messageNumber]?.role === 'user' ? messageNumber : last }];
  });
}

const statedValue = z.object({ value: z.unknown(), message: z.unknown() });

/** The JSON object in a text, without the fence or the words that some models put around it. */
function objectIn(answer: string): Record<string, unknown> | null {
  const json = parsedJson(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
  return isObject(json) ? json : null;
}
