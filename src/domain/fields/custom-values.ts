import { z } from 'zod';
import { isObject } from '../../core/json.ts';
import { lockNameShared, lockNames } from '../../database/advisory.ts';
import type { Database, Transaction } from '../../database/client.ts';
import type { Field, FieldType } from '../../database/generated/prisma/client.ts';
import { fold } from '../../text/fold.ts';
import { cnpjText, cpfText, emailText, phoneText } from '../shared/contact-texts.ts';

const maxKeys = 200;

type Rules = Pick<Field, 'nameKey' | 'type' | 'options'>;

const checks: Record<FieldType, (options: string[]) => z.ZodType> = {
  text: () => z.string().max(10_000),
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

const fieldsOf = (workspaceId: string) => `fields ${workspaceId}`;

/** Until the transaction ends, no one else may write custom values of leads in the workspace. */
export const lockFields = (tx: Transaction, workspaceId: string) => lockNames(tx, [fieldsOf(workspaceId)]);

/**
 * Until the transaction ends, no field of the workspace can change its name or type. Required before writing `custom`.
 */
export const lockFieldsShared = (tx: Transaction, workspaceId: string) => lockNameShared(tx, fieldsOf(workspaceId));

/** Validates one value of a field. */
export const ruleOf = ({ type, options }: Pick<Field, 'type' | 'options'>): z.ZodType => checks[type](options);

const keysIn = (custom: unknown): string[] => (isObject(custom) ? Object.keys(custom) : []);
const nameKeyOf = (key: string) => fold(key.trim());

/**
 * Returns a lead's `custom` object to write in this transaction, with the fields locked. Keys of fields that were
 * renamed while it waited for the lock get the new names.
 */
export async function lockCustomShared<Custom>(tx: Transaction, workspaceId: string, custom: Custom): Promise<Custom> {
  const keys = keysIn(custom);
  if (keys.length === 0 || keys.length > maxKeys) return custom;
  const select = { id: true, name: true, nameKey: true };
  const fields = await tx.field.findMany({ where: { workspaceId, nameKey: { in: keys.map(nameKeyOf) } }, select });
  await lockFieldsShared(tx, workspaceId);
  const where = { workspaceId, id: { in: fields.map(({ id }) => id) } };
  const current = new Map((await tx.field.findMany({ where, select })).map((field) => [field.id, field]));
  const renamed = new Map<string, string>();
  for (const { id, nameKey } of fields) {
    const field = current.get(id);
    if (field && field.nameKey !== nameKey) renamed.set(nameKey, field.name);
  }
  if (renamed.size === 0) return custom;
  const entries = Object.entries(custom as object);
  return Object.fromEntries(entries.map(([key, value]) => [renamed.get(nameKeyOf(key)) ?? key, value])) as Custom;
}

/**
 * Validates a lead's `custom` object: a key that names an active field, ignoring case and accents, must have a value of
 * its type or null; other keys are kept as given.
 */
export async function customRules(database: Pick<Database, 'field'>, workspaceId: string, custom: unknown) {
  const keys = keysIn(custom);
  if (keys.length === 0 || keys.length > maxKeys) return sized;
  const fields: Rules[] = await database.field.findMany({
    where: { workspaceId, active: true, nameKey: { in: keys.map(nameKeyOf) } },
    select: { nameKey: true, type: true, options: true },
  });
  const rules = new Map(fields.map((field) => [field.nameKey, field]));
  const shape = keys.flatMap((key) => {
    const field = rules.get(nameKeyOf(key));
    return field ? [[key, checks[field.type](field.options).nullable()] as const] : [];
  });
  return z.looseObject(Object.fromEntries(shape)).nullable().optional();
}

/** Validates an object whose keys are no fields. */
export const sized = z
  .looseObject({})
  .refine((custom) => Object.keys(custom).length <= maxKeys, `must have at most ${maxKeys} keys`)
  .meta({ maxProperties: maxKeys })
  .nullable()
  .optional();
