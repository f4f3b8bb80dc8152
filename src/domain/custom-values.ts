import { z } from 'zod';
import type { Database } from '../database/client.ts';
import type { Field, FieldType } from '../database/generated/prisma/client.ts';
import { fold } from '../database/text.ts';
import { cnpjText, cpfText, emailText, phoneText } from './lead-values.ts';

const maxKeys = 200;

type Rules = Pick<Field, 'nameKey' | 'type' | 'options'>;

const checks: Record<FieldType, (options: string[]) => z.ZodType> = {
  text: () => z.string().max(10_000, 'must have at most 10000 characters'),
  email: () => emailText,
  phone: () => phoneText,
  number: () => z.number(),
  url: () => z.url({ protocol: /^https?$/, error: 'must be a web address, such as https://example.com' }),
  boolean: () => z.boolean(),
  date: () => z.union([z.iso.date(), z.iso.datetime({ offset: true })], 'must be a date, such as 2026-07-31'),
  choice: (options) => z.enum(options),
  multi_choice: (options) =>
    z.array(z.enum(options)).refine((chosen) => new Set(chosen).size === chosen.length, 'must not repeat an option'),
  cpf: () => cpfText,
  cnpj: () => cnpjText,
};

/** The rules of one value of a field. */
export const ruleOf = ({ type, options }: Pick<Field, 'type' | 'options'>): z.ZodType => checks[type](options);

/**
 * The rules of a lead's `custom` object: a key that names an active field of the workspace (case and accents do not
 * matter) must hold a value of the field's type or null; any other key is kept as given.
 */
export async function customRules(database: Pick<Database, 'field'>, workspaceId: string, custom: unknown) {
  const keys = typeof custom === 'object' && custom !== null && !Array.isArray(custom) ? Object.keys(custom) : [];
  if (keys.length === 0 || keys.length > maxKeys) return sized;
  const fields: Rules[] = await database.field.findMany({
    where: { workspaceId, active: true, nameKey: { in: keys.map((key) => fold(key.trim())) } },
    select: { nameKey: true, type: true, options: true },
  });
  const rules = new Map(fields.map((field) => [field.nameKey, field]));
  const shape = keys.flatMap((key) => {
    const field = rules.get(fold(key.trim()));
    return field ? [[key, checks[field.type](field.options).nullable()] as const] : [];
  });
  return z.looseObject(Object.fromEntries(shape)).nullable().optional();
}

/** The rules of an object whose keys are no fields. */
export const sized = z
  .looseObject({})
  .refine((custom) => Object.keys(custom).length <= maxKeys, `must have at most ${maxKeys} keys`)
  .nullable()
  .optional();
