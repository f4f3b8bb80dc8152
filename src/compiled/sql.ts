import type { Slot, Sql } from './binding.ts';

/** A part of the response, piece by piece: text as it is, and expressions of type text. */
export type Pieces = readonly ({ text: string } | { sql: Sql })[];

/** SQL with other SQL in it. Only SQL goes in: a name by `name()`, text by `quote()`, a value by `Binding.value()`. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | Slot)[]): Sql {
  return strings.flatMap((text, index) => {
    const part = parts[index];
    if (part === undefined) return [text];
    return typeof part === 'function' ? [text, part] : [text, ...part];
  });
}

/** The name of a table, a column or an alias. */
export const name = (text: string): string => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`);

/** A constant text. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Text of the response. */
export const text = (value: string): Pieces => [{ text: value }];

/** An expression of type text that writes a part of the response. */
export const written = (expression: Sql): Pieces => [{ sql: expression }];

/** Parts of the response as one expression of type text: neighbouring constants become one. */
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
  return terms.length === 0 ? ["''"] : join(terms, ' || ');
}

/** The parts with a separator between. */
export const join = (parts: Sql[], separator: string): Sql =>
  parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));

/** The same with neighbouring constants as one, so that a run has less to put together. */
export function compact(parts: Sql): Sql {
  const merged: (string | Slot)[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged;
}
