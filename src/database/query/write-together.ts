import type { Transaction } from '../client.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Values, Write } from './write.ts';

/** The insertion of rows with the same columns, or a change of one row by the values of columns. */
export type JointWrite = { model: Prisma.ModelName; rows: Values[] } | Extract<Write, { update: Values }>;

/**
 * Executes writes of a transaction as one statement, in their order, and resolves with the row of the last; null if it
 * wrote none. They see the tables as they were before all of them; foreign keys are checked, and triggers run, after
 * all of them. A missing column keeps its value, or gets the default of the database: timestamps must be given.
 */
export async function writeTogether<Row>(tx: Transaction, writes: JointWrite[]): Promise<Row | null> {
  const parameters: string[] = [];
  const record = ({ model }: JointWrite, set: 'record' | 'recordset', json: unknown) =>
    `json_populate_${set}(NULL::"${model}", $${parameters.push(jsonOf(json))}::json)`;
  const queries = writes.map((write, index) => {
    // Each waits for the one before, so that their triggers run in this order.
    const earlier = index === 0 ? '' : `, (SELECT count(*) FROM w${index - 1}) AS earlier`;
    const text = 'rows' in write ? insert(write, record, earlier) : update(write, record, earlier);
    return `w${index} AS (${text})`;
  });
  const text = `WITH ${queries.join(', ')} SELECT * FROM w${writes.length - 1}`;
  const [row] = await tx.$queryRawUnsafe<Row[]>(text, ...parameters);
  return row ?? null;
}

/** PostgreSQL turns JSON into rows by the types of their columns. */
type Recorder = (write: JointWrite, set: 'record' | 'recordset', json: unknown) => string;

function insert(write: Extract<JointWrite, { rows: Values[] }>, record: Recorder, earlier: string): string {
  const columns = columnsOf(write.rows[0] ?? {}).join(', ');
  const rows = record(write, 'recordset', write.rows);
  return `INSERT INTO "${write.model}" (${columns}) SELECT ${columns} FROM ${rows}${earlier} RETURNING *`;
}

function update(write: Extract<JointWrite, { update: Values }>, record: Recorder, earlier: string): string {
  const changes = columnsOf(write.update).map((column) => `${column} = new.${column}`);
  const conditions = columnsOf(write.where as Values).map((column) => `t.${column} = old.${column}`);
  return `UPDATE "${write.model}" AS t SET ${changes.join(', ')}
    FROM ${record(write, 'record', write.update)} AS new, ${record(write, 'record', write.where)} AS old${earlier}
    WHERE ${conditions.join(' AND ')} RETURNING t.*`;
}

const columnsOf = (values: Values): string[] =>
  Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : `"${column}"`));

/** Half of a surrogate pair, which PostgreSQL does not accept, becomes U+FFFD, as in a text that is sent as it is. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_, each) => (typeof each === 'string' ? each.toWellFormed() : each));
}
