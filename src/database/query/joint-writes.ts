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

async function send(store: WriteStore, writes: JointWrite[], result: string): Promise<unknown[]> {
  const parameters: unknown[] = [];
  const parameter = (value: unknown) => `$${parameters.push(value)}`;
  const record: Recorder = ({ model }, set, json) =>
    `json_populate_${set}(NULL::"${model}", ${parameter(jsonOf(json))}::json)`;
  const queries = writes.map((write, index) => {
    // Each waits for the one before, so that their triggers run in this order.
    const condition = index === 0 ? 'TRUE' : `(SELECT count(*) FROM ${nameOf(index - 1)}) > 0`;
    const text =
      'statement' in write
        ? textOf(write.statement(Prisma.raw(condition), rowsBefore(index)), parameters)
        : 'rows' in write
          ? insert(write, record, condition)
          : update(write, record, parameter, condition);
    return `${nameOf(index)} AS (${text})`;
  });
  const text = `WITH ${queries.join(', ')} ${result}`;
  if (store instanceof Pool) return (await writeJson<unknown[]>(store, text, parameters)) ?? [];
  const [row] = await store.$queryRawUnsafe<{ json: string }[]>(`${text} AS "json"`, ...parameters);
  return JSON.parse(row?.json ?? '[]');
}

const rowsBefore = (index: number): EarlierRows => ({
  before: Prisma.raw(nameOf(index - 1)),
  first: Prisma.raw(nameOf(0)),
});

/** Numbers the parameters of a statement after those before it. */
const textOf = ({ strings, values }: Prisma.Sql, parameters: unknown[]): string =>
  strings.map((text, index) => (index === 0 ? text : `$${parameters.push(values[index - 1])}${text}`)).join('');

/** PostgreSQL turns JSON into rows by the types of their columns. */
type Recorder = (write: RowWrite, set: 'record' | 'recordset', json: unknown) => string;

function insert(write: Extract<RowWrite, { rows: Values[] }>, record: Recorder, condition: string): string {
  const columns = columnsOf(write.rows[0] ?? {}).join(', ');
  const rows = record(write, 'recordset', write.rows);
  return `INSERT INTO "${write.model}" (${columns}) SELECT ${columns} FROM ${rows} WHERE ${condition} RETURNING *`;
}

function update(
  write: Extract<RowWrite, { update: Values }>,
  record: Recorder,
  parameter: (value: unknown) => string,
  condition: string,
): string {
  const columns = columnsOf(write.update).map((column) => `${column} = new.${column}`);
  // Not as JSON, in which neither an index nor the partition or the node of the row is found.
  const conditions = Object.entries(write.where).flatMap(([column, value]) =>
    value === undefined ? [] : `t."${column}" = ${parameter(value)}`,
  );
  return `UPDATE "${write.model}" AS t SET ${columns.join(', ')}
    FROM ${record(write, 'record', write.update)} AS new
    WHERE ${[...conditions, condition].join(' AND ')} RETURNING t.*`;
}

const columnsOf = (values: Values): string[] =>
  Object.keys(values)
    .filter((column) => values[column] !== undefined)
    .map((column) => `"${column}"`);

/** Half of a surrogate pair, which PostgreSQL does not accept, becomes U+FFFD, as in a text that is sent as it is. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, each) => (typeof each === 'string' ? each.toWellFormed() : each));
}
