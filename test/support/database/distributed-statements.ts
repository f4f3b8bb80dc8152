import { referencesIn, withoutTexts } from './workspace-statements.ts';

type Rule = { refused: string; isBroken: (text: string) => boolean };

/** Functions whose result is not the same for the same arguments, as PostgreSQL marks them. */
const volatile = /\b(?:clock_timestamp|random|gen_random_uuid|nextval|timeofday)\(/;
const stable = /\b(?:now|statement_timestamp|transaction_timestamp)\(|\bCURRENT_(?:TIMESTAMP|DATE)\b/;
/** Functions that depend on the session's settings, given a column. */
const stableOfColumn =
  /\b(?:to_char|to_jsonb?|jsonb?_build_(?:object|array)|concat(?:_ws)?|format|array_to_string|date_trunc|age)\([^()]*(?:\([^()]*\)[^()]*)*"\w+"/;
/** Times moved by an interval, which depends on the session's time zone. */
const movedTime = /"\w+" [-+] (?:\(?\$\d+(?:::\w+)?\)? \* )?(?:make_interval\(|interval\b|\$\d+::interval)/i;
/** A function that is not the same for the same arguments, in a CASE or COALESCE. */
const changingInCase = new RegExp(
  `\\b(?:CASE\\b(?:(?!\\bEND\\b).)*|coalesce\\([^)]*)(?:${volatile.source}|${stable.source}|${movedTime.source})`,
  'i',
);
const assignments = /\bUPDATE (?!SET\b|OF\b|SKIP\b).*? SET (.*?)(?= FROM | WHERE |$)/;
const onConflict = /ON CONFLICT .*?DO UPDATE SET (.*?)(?= RETURNING |$)/;
const returning = / RETURNING (.*?)(?=\) SELECT |, w\d+ AS \(|$)/;
const part = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

/** What Citus refuses of a statement on distributed tables, with the words of its error. */
const rules: Rule[] = [
  {
    refused: 'functions used in UPDATE queries on distributed tables must not be VOLATILE',
    isBroken: (text) => /\bUPDATE (?!SET|OF|SKIP)/.test(text) && volatile.test(text),
  },
  {
    refused: 'STABLE functions used in UPDATE queries cannot be called with column references',
    isBroken: (text) => [stableOfColumn, movedTime].some((pattern) => pattern.test(part(text, assignments))),
  },
  {
    refused: 'non-IMMUTABLE functions are not allowed in CASE or COALESCE statements of UPDATE queries',
    isBroken: (text) => changingInCase.test(part(text, assignments)),
  },
  {
    refused: 'functions used in the DO UPDATE SET clause of INSERTs on distributed tables must be marked IMMUTABLE',
    isBroken: (text) => [volatile, stable].some((pattern) => pattern.test(part(text, onConflict))),
  },
  {
    refused: 'functions used in the WHERE clause of the ON CONFLICT clause must be marked IMMUTABLE: a subquery',
    isBroken: (text) => /\(\s*SELECT\b/i.test(part(text, onConflict)),
  },
  {
    refused: 'could not determine data type of parameter: one after the SELECT of an INSERT, in ON CONFLICT',
    isBroken: (text) => /^[^()]*INSERT INTO [^()]*\([^()]*\) SELECT .*? ON CONFLICT .*?\$\d/.test(text),
  },
  {
    refused: 'operator does not exist: a CASE of a value in DO UPDATE, which it writes as WHEN (value = …)',
    isBroken: (text) => /\bCASE (?!WHEN\b)/.test(part(text, onConflict)),
  },
  {
    refused: 'non-IMMUTABLE functions are not allowed in the RETURNING clause',
    isBroken: (text) => [volatile, stable].some((pattern) => pattern.test(part(text, returning))),
  },
  {
    refused: 'subqueries are not supported within INSERT queries',
    isBroken: (text) => /\bVALUES \((?:[^()]|\([^()]*\))*\(\s*SELECT\b/.test(text),
  },
  {
    refused:
      'CTEs that refer to other subqueries are not supported in multi-shard queries: workspaces without their id',
    isBroken: (text) => {
      const alias = /\bJOIN "Workspace" (\w+) ON\b/.exec(text)?.[1];
      return alias !== undefined && /\(WITH\b/.test(text) && !new RegExp(`\\b${alias}\\."id" = \\$\\d`).test(text);
    },
  },
  {
    refused: 'could not run distributed query with FOR UPDATE/SHARE commands: a table without its workspace as a value',
    isBroken: (text) => /\bFOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)\b/.test(text) && tablesWithoutValue(text).length > 0,
  },
  {
    refused:
      'cannot perform a lateral outer join when a distributed subquery references a reference table: a person with rows of all workspaces',
    isBroken: (text) =>
      /\bFROM (?:"public"\.)?"User" (?:AS )?"?\w+"? LEFT JOIN LATERAL\b/.test(text) &&
      tablesWithoutValue(text).length > 0,
  },
];

/** Returns what Citus would say of a statement, which must name only tables that are distributed. */
export function refusalsOf(statement: string): string[] {
  const text = withoutTexts(statement);
  if (referencesIn(text).length === 0) return [];
  return rules.filter(({ isBroken }) => isBroken(text)).map(({ refused }) => refused);
}

/**
 * Returns the tables of a statement that no condition compares with a workspace given as a value. Citus finds the node
 * of such a table only where it follows from a join, which it does not see through LATERAL and correlated subqueries.
 */
export function tablesWithoutValue(statement: string): string[] {
  const text = withoutTexts(statement);
  const missing = referencesIn(text).filter(({ verb, table, alias }) => {
    if (verb === 'INTO') return false;
    const subject = alias ? `"?${alias}"?\\.` : `(?:(?:"public"\\.)?"${table}"\\.)?`;
    const column = `(?<![\\w".])(?:${subject})${alias ? '?' : ''}"workspaceId"`;
    const patterns = [
      `${column}(?:::text)?\\s*=\\s*(?:any\\s*)?\\(?(?:\\$\\d|'')`,
      `${column} in \\((?:\\$|'')`,
      `\\([^()]*${column}[^()]*\\)\\s*(?:=|in)\\s*\\(+\\$`,
      `(?:\\$\\d+|'')(?:::text)? = ${column}`,
    ];
    return !patterns.some((pattern) => new RegExp(pattern, 'i').test(text));
  });
  return [...new Set(missing.map(({ table }) => table))];
}
