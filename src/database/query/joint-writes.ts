import type { Transaction } from '../client.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { Pool } from '../pool.ts';
import { rowsOf } from './json-rows.ts';
import { writeJson } from './prepared.ts';
import type { Values, Write } from './write.ts';

/**
 * The insertion of rows with the same columns, a change of one row by the values of columns, or another statement,
 * which does nothing unless the condition that it is given is met. `rows`: those of the write before it, and of the
 * first.
 */
export type JointWrite = RowWrite | { statement: (condition: Prisma.Sql, rows: EarlierRows) => Prisma.Sql };
type EarlierRows = { before: Prisma.Sql; first: Prisma.Sql };
type RowWrite = { model: Prisma.ModelName; rows: Values[] } | Extract<Write, { update: Values }>;

/** Where writes are sent: in a transaction, or by themselves as a prepared statement. */
export type WriteStore = Pool | Pick<Transaction, '$queryRawUnsafe'>;

/**
 * Executes writes as one statement, in their order, and resolves with the row of the last; null if it wrote none. Once
 * one of them finds no row, those after it are left out. They see the tables as they were before all of them; foreign
 * keys are checked, and triggers run, after all of them. A missing column keeps its value, or gets the default of the
 * database: timestamps must be given.
 */
export async function writeInOneStatement<Row extends object>(
  store: WriteStore,
  writes: JointWrite[],
): Promise<Row | null> {
  const last = writes.length - 1;
  const written = await writeAndRead(store, writes, [last]);
  return written<Row>(last)[0] ?? null;
}

/** The rows of a write, by its index. */
type WrittenRows = <Row extends object>(index: number) => Row[];

/** Like `writeInOneStatement`, and resolves with the rows of the writes at these indexes. */
export async function writeAndRead(store: WriteStore, writes: JointWrite[], indexes: number[]): Promise<WrittenRows> {
  const read = indexes.map((index) => `(SELECT json_agg(w) FROM ${nameOf(index)} AS w)`);
  const json = await send(store, writes, `SELECT json_build_array(${read.join(', ')})::text`);
  return <Row extends object>(index: number) => rowsOf<Row>(json[indexes.indexOf(index)]);
}

const nameOf = (index: number): string => `w${index}`;

/** A write whose condition is known: a row's, or a statement with its values. */
type Part = RowWrite | Prisma.Sql;

async function send(store: WriteStore, writes: JointWrite[], result: string): Promise<unknown[]> {
  const parts = writes.map((write, index): Part => {
    if (!('statement' in write)) return write;
    const rows = { before: Prisma.raw(nameOf(index - 1)), first: Prisma.raw(nameOf(0)) };
    return write.statement(Prisma.raw(conditionOf(index)), rows);
  });
  const text = textOf(parts, result);
  const parameters = parts.flatMap(parametersOf);
  if (store instanceof Pool) return (await writeJson<unknown[]>(store, text, parameters)) ?? [];
  const [row] = await store.$queryRawUnsafe<{ json: string }[]>(`${text} AS "json"`, ...parameters);
  return JSON.parse(row?.json ?? '[]');
}

/** Each waits for the one before, so that their triggers run in this order. */
const conditionOf = (index: number): string =>
  index === 0 ? 'TRUE' : `(SELECT count(*) FROM ${nameOf(index - 1)}) > 0`;

function parametersOf(part: Part): unknown[] {
  if ('strings' in part) return part.values;
  if ('rows' in part) return [jsonOf(part.rows)];
  return [...definedIn(part.where).map((column) => part.where[column]), jsonOf(part.update)];
}

/** Texts by what they are made of: made once, a text of several kilobytes need not be hashed to find its statement. */
type Shape = { next: Map<string, Shape>; text: string | null };

const newShape = (): Shape => ({ next: new Map(), text: null });
/** Those of turns and the like are few: they differ by columns, not by values. */
const maxTexts = 200;
let known = { root: newShape(), texts: 0 };

function textOf(parts: Part[], result: string): string {
  let shape = known.root;
  for (const word of parts.flatMap(wordsOf)) shape = stepTo(shape, word);
  shape = stepTo(shape, result);
  if (shape.text !== null) return shape.text;
  shape.text = makeText(parts, result);
  known = known.texts < maxTexts ? { ...known, texts: known.texts + 1 } : { root: newShape(), texts: 0 };
  return shape.text;
}

function stepTo(shape: Shape, word: string): Shape {
  const next = shape.next.get(word) ?? newShape();
  if (!shape.next.has(word)) shape.next.set(word, next);
  return next;
}

/** What the text of a part depends on. */
function wordsOf(part: Part): readonly string[] {
  if ('strings' in part) return part.strings;
  if ('rows' in part) return [part.model, ...definedIn(part.rows[0] ?? {})];
  return [part.model, 'SET', ...definedIn(part.update), 'WHERE', ...definedIn(part.where)];
}

function makeText(parts: Part[], result: string): string {
  let count = 0;
  const parameter = () => `$${++count}`;
  const queries = parts.map((part, index) => {
    const condition = conditionOf(index);
    const text =
      'strings' in part
        ? part.strings.reduce((text, next) => `${text}${parameter()}${next}`)
        : 'rows' in part
          ? insert(part, parameter, condition)
          : update(part, parameter, condition);
    return `${nameOf(index)} AS (${text})`;
  });
  return `WITH ${queries.join(', ')} ${result}`;
}

function insert(write: Extract<RowWrite, { rows: Values[] }>, parameter: () => string, condition: string): string {
  const columns = columnsOf(write.rows[0] ?? {}).join(', ');
  // PostgreSQL turns JSON into rows by the types of their columns.
  const rows = `json_populate_recordset(NULL::"${write.model}", ${parameter()}::json)`;
  return `INSERT INTO "${write.model}" (${columns}) SELECT ${columns} FROM ${rows} WHERE ${condition} RETURNING *`;
}

function update(write: Extract<RowWrite, { update: Values }>, parameter: () => string, condition: string): string {
  const columns = columnsOf(write.update).map((column) => `${column} = new.${column}`);
  // Not as JSON, in which neither an index nor the partition or the node of the row is found.
  const conditions = columnsOf(write.where).map((column) => `t.${column} = ${parameter()}`);
  return `UPDATE "${write.model}" AS t SET ${columns.join(', ')}
    FROM json_populate_record(NULL::"${write.model}", ${parameter()}::json) AS new
    WHERE ${[...conditions, condition].join(' AND ')} RETURNING t.*`;
}

const definedIn = (values: Values): string[] => Object.keys(values).filter((column) => values[column] !== undefined);
const columnsOf = (values: Values): string[] => definedIn(values).map((column) => `"${column}"`);

/** Half of a surrogate pair, which PostgreSQL does not accept, becomes U+FFFD, as in a text that is sent as it is. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, each) => (typeof each === 'string' ? each.toWellFormed() : each));
}
