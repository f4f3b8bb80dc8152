import { limits } from '../../core/limits.ts';
import type { Sql, SqlPart } from './binding.ts';

/** A part of the response: constant text, and expressions of type text. */
export type Pieces = readonly ({ text: string } | { sql: Sql })[];

/**
 * Interpolates SQL in SQL. Only SQL may be interpolated: names by `name()`, text by `quote()`, values by
 * `Binding.value()`.
 */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlPart)[]): Sql {
  return strings.flatMap((text, index) => {
    const part = parts[index];
    if (part === undefined) return [text];
    return typeof part === 'function' ? [text, part] : [text, ...part];
  });
}

/** Quotes the name of a table, a column or an alias. */
export const name = (text: string): string => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`);

/** Quotes a text constant. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Constant text of the response. */
export const text = (value: string): Pieces => [{ text: value }];

/** An expression of type text for a part of the response. */
export const written = (expression: Sql): Pieces => [{ sql: expression }];

/** Concatenates parts of the response to one expression of type text, merging adjacent constants. */
export function concat(...parts: Pieces[]): Sql {
  const terms: Sql[] = [];
  let constant = '';
  const flush = () => {
    if (constant !== '') terms.push([quote(constant)]);
    constant = '';
  };
  for (const piece of parts.flat()) {
    if ('text' in piece) {
      constant += piece.text;
    } else {
      flush();
      terms.push(piece.sql);
    }
  }
  flush();
  return terms.length === 0 ? ["''"] : concatenated(terms);
}

/** Up to so many terms, each may copy all before it. */
const few = 8;

/** Concatenates many terms by halves: one after the other, many long texts would be copied again and again. */
function concatenated(terms: Sql[]): Sql {
  if (terms.length <= few) return join(terms, ' || ');
  const half = Math.ceil(terms.length / 2);
  return sql`(${concatenated(terms.slice(0, half))}) || (${concatenated(terms.slice(half))})`;
}

export const join = (parts: Sql[], separator: string): Sql =>
  parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));

/** Merges adjacent constants, so that a run has fewer parts to concatenate. */
export function compact(parts: Sql): Sql {
  const merged: (string | SqlPart)[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged;
}

const tooLarge = 'the response is too large';
/**
 * Selects the response, unless it is too large to be sent: then the statement fails, and has written nothing. Only a
 * cast fails without a function of our own. `OFFSET 0` has the response made once.
 */
export const selectBounded = (response: Sql): Sql =>
  sql`SELECT CASE WHEN octet_length("whole") > ${[String(limits.response)]} THEN (${[quote(tooLarge)]} || left("whole", 0))::int::text ELSE "whole" END AS "response" FROM (SELECT ${response} AS "whole" OFFSET 0) "bounded"`;

/** What PostgreSQL says of a text that is larger than any may be. */
const overflow = /string buffer exceeds|out of memory|invalid memory alloc request size/;

/** Whether a statement has failed for the size of its response. */
export const isTooLargeFor = (error: unknown): boolean =>
  error instanceof Error && (error.message.includes(tooLarge) || overflow.test(error.message));
