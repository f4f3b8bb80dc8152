import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../database/client.ts';
import { type Contact, captureContact } from '../../model/capture/capture.ts';
import { captureFields } from '../../model/capture/capture-fields.ts';
import type { JsonValue, WantedField } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';
import { convertValue } from '../fields/convert-value.ts';
import { lockFieldsShared, ruleOf } from '../fields/custom-values.ts';
import { contactValues, leadInput } from './values.ts';

/**
 * A validated value that a visitor gave. `from`: the message that states it, by id or by index among the user's
 * messages of the turn; null if none does, but the visitor's site or a form. `fillsGap`: it comes from an older
 * message, and must not replace a known value. `fieldId`: the custom field that had this name at the time.
 */
export type CapturedValue = {
  field: string;
  fieldId?: string;
  value: JsonValue;
  from: { messageId: string } | { index: number } | null;
  fillsGap?: boolean;
};

/** If a workspace has more custom fields, only the oldest are looked for. */
const maxFields = 60;

const contactFields: WantedField[] = [
  { name: 'name', type: 'text', description: 'what the visitor is called', options: [] },
  { name: 'email', type: 'email', description: 'e-mail address', options: [] },
  { name: 'phone', type: 'phone', description: 'phone number, with its country code where it is said', options: [] },
];
/** Further columns of every lead: stored if the visitor mentions them, not asked for. */
const optionalFields: WantedField[] = [
  { name: 'company', type: 'text', description: 'the company that the visitor speaks for', options: [] },
  { name: 'site', type: 'text', description: 'web site of the visitor or the company', options: [] },
];
const builtIn = [...contactFields, ...optionalFields];
const builtInNames = new Set(builtIn.map(({ name }) => name));

/** Whether a field is a column of the lead rather than a custom value. */
export const isColumn = (field: string): boolean => builtInNames.has(field);

/** The fields to look for in a workspace: the columns of every lead, and its active custom fields. */
export async function findWantedFields({ database, viewer }: Context): Promise<WantedField[]> {
  const custom = await database.field.findMany({
    where: { workspaceId: viewer.workspaceId, active: true, nameKey: { notIn: [...builtInNames] } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: maxFields,
    select: { id: true, name: true, type: true, description: true, options: true },
  });
  return [...builtIn, ...custom];
}

const filled = (schema: z.ZodType) =>
  z
    .string()
    .trim()
    .min(1)
    .pipe(schema as z.ZodType<unknown, string>);
const siteText = /^(?:https?:\/\/)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?:[/?#]\S{0,1000})?$/i;
const columnRules = new Map<string, z.ZodType>([
  ['name', filled(contactValues.name)],
  ['email', filled(contactValues.email)],
  ['phone', filled(contactValues.phone)],
  ['company', filled(leadInput.shape.company)],
  ['site', z.string().trim().regex(siteText)],
]);
/** A text value in a visitor's message; anything longer is something else. */
const statedText = z.string().trim().min(1).max(500);

/** The rule of a field, for a value that a person typed. */
export const inputRule = (field: WantedField): z.ZodType => {
  const ofType = field.type === 'text' ? statedText : ruleOf(field);
  return columnRules.get(field.name) ?? ofType;
};

/** A value as the API would store it, by the same rules; undefined if it is invalid. */
export function checkValue(field: WantedField, value: JsonValue): JsonValue | undefined {
  return inputRule(field).safeParse(asOption(field, value)).data as JsonValue | undefined;
}

/** The option as the field spells it: case and accents are ignored. */
function asOption({ type, options }: WantedField, value: JsonValue): JsonValue {
  if (type !== 'choice' && type !== 'multi_choice') return value;
  const same = (stated: JsonValue) => options.find((option) => fold(option) === fold(String(stated).trim())) ?? stated;
  return Array.isArray(value) ? [...new Set(value.map(same))] : same(value);
}

/**
 * Adapts values to their fields as they are now: a field may have been renamed or changed its type meanwhile. Locks the
 * fields.
 */
export async function currentValues(
  tx: Transaction,
  workspaceId: string,
  values: CapturedValue[],
): Promise<CapturedValue[]> {
  const ids = values.flatMap(({ fieldId }) => fieldId ?? []);
  if (ids.length === 0) return values;
  await lockFieldsShared(tx, workspaceId);
  const fields = await tx.field.findMany({ where: { workspaceId, id: { in: ids } } });
  return values.flatMap((captured) => {
    const field = fields.find(({ id }) => id === captured.fieldId);
    const value = field ? convertValue(captured.value, field) : captured.value;
    return value === undefined
      ? []
      : [{ ...captured, field: field?.name ?? captured.field, value: value as JsonValue }];
  });
}

/**
 * Returns the validated contact details that a visitor's messages (oldest first) state plainly. The last mention of a
 * field counts.
 */
export function captureContacts(texts: string[]): CapturedValue[] {
  // A name and the contact details that go with it often come in two messages.
  const contact = captureContact(texts.join('\n'));
  const stated = contactFields.filter(({ name }) => contact[name as keyof Contact] !== undefined);
  const byMessage = texts.length > 1 && stated.length > 0 ? texts.map((text) => captureContact(text)) : [];
  return stated.flatMap((field) => {
    const key = field.name as keyof Contact;
    const index = byMessage.findIndex((contactOf) => contactOf[key] === contact[key]);
    return capturedValue(field, contact[key], index < 0 ? texts.length - 1 : index);
  });
}

/** The same for the other fields of `fields`. */
export function captureOthers(texts: string[], fields: WantedField[]): CapturedValue[] {
  const found = new Map<string, CapturedValue>();
  const others = fields.filter(({ name }) => !contactFields.some((field) => field.name === name));
  for (const [index, text] of texts.entries()) {
    const values = captureFields(text, others);
    for (const field of others.filter(({ name }) => Object.hasOwn(values, name)))
      for (const value of capturedValue(field, values[field.name], index)) found.set(field.name, value);
  }
  return [...found.values()];
}

/** A value, if it is valid. */
function capturedValue(field: WantedField, value: JsonValue | undefined, index: number): CapturedValue[] {
  const checked = value === undefined ? undefined : checkValue(field, value);
  return checked === undefined
    ? []
    : [{ field: field.name, ...(field.id && { fieldId: field.id }), value: checked, from: { index } }];
}
