import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { checkValue } from '../../core/validation.ts';
import { isMoment } from '../../lists/list.ts';

/** An input as the graph gives it, before `parseInput`: a value may be null, and an enum is any text. */
export type Unvalidated<Input> = Input extends string
  ? string
  : Input extends Date
    ? Date
    : Input extends object
      ? { [Key in keyof Input]: Unvalidated<Input[Key]> | (undefined extends Input[Key] ? null : never) }
      : Input;

/** Validates an input. Throws 400 `invalid_request` with one issue per invalid key. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { data, issues } = checkValue(schema, input);
  if (issues) throw invalid(issues);
  return data;
}

/** A required short text, such as a name. */
export const requiredText = (max = 200) =>
  z.string().trim().min(1, 'must not be empty').max(max).meta({ pattern: '\\S' });

/** A text that may be null or empty. */
export const optionalText = (max = 2_000) => z.string().max(max).nullable();

/** A date that can be stored and has a four-digit year. */
export const moment = z
  .date('must be a moment, such as 2026-09-01T10:15:30Z')
  .refine(isMoment, 'must be in the years 1 to 9999');

export const hexColor = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, 'must be a hex color such as #2563eb');
