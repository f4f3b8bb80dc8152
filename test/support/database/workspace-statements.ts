import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../prisma/schema/', import.meta.url);
const models = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));

/** The tables whose rows belong to a workspace. */
export const workspaceTables: string[] = [...models.join('\n').matchAll(/^model (\w+) \{(.*?)^\}/gms)]
  .filter(([, , body]) => /^ +workspaceId /m.test(body ?? ''))
  .map(([, name]) => name ?? '');

/** Words that follow a table's name and are not its alias. */
const keywords =
  /^(as|on|where|set|join|left|right|inner|cross|full|natural|using|order|group|limit|offset|for|union|returning|values|select|default|having|with|and|or|when|then|fetch|lateral)$/i;

/** A statement in one line, without its comments and the contents of its texts. */
export const withoutTexts = (statement: string): string =>
  statement
    .replaceAll(/--[^\n]*|'(?:[^']|'')*'/g, (part) => (part.startsWith("'") ? "''" : ' '))
    .replaceAll(/\s+/g, ' ');

/** A place where a statement names a table of a workspace. */
export type TableReference = { verb: string; table: string; alias: string | null; rest: string };

/** Where a statement, without its texts, names tables of a workspace; nowhere if it changes the schema. */
export function referencesIn(text: string): TableReference[] {
  if (/^ ?(create|alter|drop|analyze|vacuum|truncate)\b/i.test(text)) return [];
  // Case-sensitive, since "key" is a column and "Key" a table.
  const reference = new RegExp(
    `(\\b(?:INTO|FROM|JOIN|UPDATE|USING)|,)\\s+(?:ONLY\\s+)?(?:"public"\\.)?"(${workspaceTables.join('|')})"(?=[\\s,;)(]|$)(?:\\s+(?:AS\\s+|as\\s+)?("?)(\\w+)\\3)?`,
    'g',
  );
  return [...text.matchAll(reference)].map(({ index, 1: verb = '', 2: table = '', 4: given }) => ({
    verb,
    table,
    alias: given && !keywords.test(given) ? given : null,
    rest: text.slice(index),
  }));
}

/**
 * Returns the tables of workspaces that a statement reads or writes without naming the workspace: no condition compares
 * the table's `workspaceId`, and an inserted row does not give it.
 */
export function tablesWithoutWorkspace(statement: string): string[] {
  const text = withoutTexts(statement);
  const missing = referencesIn(text).filter(({ verb, table, alias, rest }) =>
    verb === 'INTO'
      ? !rest.slice(rest.indexOf('('), rest.indexOf(')') + 1).includes('"workspaceId"')
      : !isCompared(text, table, alias),
  );
  return [...new Set(missing.map(({ table }) => table))];
}

/** Whether a condition compares `workspaceId` of a table: with a value, a column, or as part of a key. */
function isCompared(text: string, table: string, alias: string | null): boolean {
  const subject = alias ? `"?${alias}"?\\.` : `(?:(?:"public"\\.)?"${table}"\\.)?`;
  // An alias does not rule out unqualified columns, where the table is the only one.
  const column = `(?<![\\w".])(?:${subject})?"workspaceId"`;
  const qualified = `${subject}"workspaceId"`;
  const patterns = [
    `${column}(?:::text)?\\s*\\)?\\s*(?:=|>|in\\b)`,
    `(?:=|>)\\s*\\(?${alias ? qualified : column}(?![\\w"])`,
    `\\([^()]*${column}[^()]*\\)\\s*(?:=|>|in\\b)`,
    `using\\s*\\(\\s*"workspaceId"`,
  ];
  return patterns.some((pattern) => new RegExp(pattern, 'i').test(text));
}
