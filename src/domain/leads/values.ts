import { z } from 'zod';
import type { LeadCapture } from '../../database/generated/prisma/client.ts';
import { emailText, phoneText } from '../shared/contact-texts.ts';

/** An empty form field counts as no value. */
const blankIsNull = <Schema extends z.ZodType>(schema: Schema, described: Record<string, unknown> = {}) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() === '' ? null : value),
    schema.nullable().meta(described),
  );

/** JSON Schema of an email that may be blank, which the format alone would reject. */
const emailOrBlank = {
  anyOf: [{ type: 'string', format: 'email', maxLength: 254 }, { type: 'string', pattern: '^\\s*$' }, { type: 'null' }],
  examples: ['ana@example.com'],
};

const shortText = z.string().trim().max(200);
const longText = z.string().trim().max(2_000);

export const contactValues = {
  name: blankIsNull(shortText),
  email: blankIsNull(emailText, emailOrBlank),
  phone: blankIsNull(phoneText),
};

const utmValues = z.looseObject(
  Object.fromEntries(['source', 'medium', 'campaign', 'content', 'term'].map((key) => [key, longText.nullish()])),
);

/** JSON Schema of `hasAnyValue`. */
export const anyValueSchema = {
  anyOf: [
    ...['name', 'email', 'phone', 'company', 'site'].map((key) => ({
      required: [key],
      properties: { [key]: { type: 'string', pattern: '\\S' } },
    })),
    {
      required: ['custom'],
      properties: { custom: { type: 'object', minProperties: 1, additionalProperties: { not: { type: 'null' } } } },
    },
  ],
};

/**
 * The values of a lead in a request. Omitted keys stay absent. `custom` is validated against the workspace's fields
 * separately.
 */
export const leadInput = z.object({
  agentId: blankIsNull(z.string()).optional(),
  name: contactValues.name.optional(),
  email: contactValues.email.optional(),
  phone: contactValues.phone.optional(),
  company: blankIsNull(shortText).optional(),
  site: blankIsNull(longText).optional(),
  utm: utmValues.nullable().optional(),
  capture: z.enum(['completed', 'partial']).nullable().optional(),
});

export type Values = Record<string, unknown>;
type Contact = { name?: string | null; email?: string | null; phone?: string | null };

export const captureOf = ({ name, email, phone }: Contact): LeadCapture =>
  name && (email || phone) ? 'completed' : 'partial';

/** Whether anything is known of the person or the company. */
export const hasAnyValue = (lead: Contact & { company?: string | null; site?: string | null; custom?: unknown }) =>
  [lead.name, lead.email, lead.phone, lead.company, lead.site].some(Boolean) ||
  Object.keys(withoutNulls((lead.custom ?? {}) as Values)).length > 0;

/** Drops values that are null or undefined. */
export function withoutNulls<Shape extends object>(values: Shape): { [Key in keyof Shape]?: NonNullable<Shape[Key]> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  ) as never;
}

/** Merges `fresh` into `old` by key, ignoring null values. */
export const mergeObjects = (old: unknown, fresh: unknown): Values => ({
  ...(old as Values),
  ...withoutNulls((fresh ?? {}) as Values),
});
