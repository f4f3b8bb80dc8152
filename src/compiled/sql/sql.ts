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
  return terms.length === 0 ? ["''"] : join(terms, ' || ');
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
