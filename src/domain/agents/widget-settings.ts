import { z } from 'zod';
import type { Context } from '../../context.ts';
import { invalid } from '../../core/errors.ts';
import type { WantedField } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';
import { findWantedFields } from '../leads/captured-values.ts';
import { requiredText } from '../shared/input.ts';

const maxFields = 10;
const maxGreetings = 10;

/** A field that a widget asks for before the first message. */
export type AskedField = { field: string; required: boolean };

/**
 * What a widget says of its own accord: `seconds` after a page of `path` was opened, or when the pointer leaves it
 * (`onExit`).
 */
export type Greeting = { text: string; seconds: number | null; path: string | null; onExit: boolean };

export const formInput = z
  .array(z.object({ field: requiredText(), required: z.boolean().nullish() }))
  .max(maxFields)
  .transform((fields) => fields.map(({ field, required }): AskedField => ({ field, required: required ?? false })));

export const greetingsInput = z
  .array(
    z
      .object({
        text: requiredText(500),
        seconds: z
          .int32('must be a whole number')
          .min(0, 'must be 0 or more')
          .max(3_600, 'must be at most 3600')
          .nullish(),
        path: z
          .string()
          .max(500)
          .regex(/^\/\S*$/, 'must begin with a slash, such as /pricing or /docs/*')
          .nullish(),
        onExit: z.boolean().nullish(),
      })
      .transform(
        ({ text, seconds, path, onExit }): Greeting => ({
          text,
          seconds: seconds ?? null,
          path: path ?? null,
          onExit: onExit ?? false,
        }),
      )
      .refine(({ seconds, onExit }) => seconds !== null || onExit, 'must have seconds, or onExit'),
  )
  .max(maxGreetings);

/**
 * Names the fields of a form as the workspace does. Throws 400 for one that it does not have, or that is twice there.
 */
export async function checkForm(context: Context, form: AskedField[]): Promise<AskedField[]> {
  if (form.length === 0) return form;
  const known = await findWantedFields(context);
  const named = form.map(({ field, required }) => ({ field: fieldOf(known, field)?.name ?? '', required }));
  const issues = named.flatMap(({ field }, at) => {
    if (!field) return [`form.${at}.field: must be name, email, phone, company, site or the name of an active field`];
    return named.findIndex((other) => other.field === field) < at
      ? [`form.${at}.field: is already in the form: list each field once`]
      : [];
  });
  if (issues.length > 0) throw invalid(issues);
  return named;
}

/** A field by its name; case and accents are ignored. */
export const fieldOf = (known: WantedField[], name: string): WantedField | undefined =>
  known.find((field) => fold(field.name) === fold(name.trim()));
