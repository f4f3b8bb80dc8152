/** What the names of columns with moments end in, in all tables. */
const moment = /(?:At|[Ss]ince|Until)$/;

/** A row that the database wrote as JSON, which becomes as Prisma returns it: with dates. Throws for a null. */
export function rowOf<Row extends object>(json: unknown): Row {
  const row = json as Record<string, unknown>;
  for (const column of Object.keys(row)) {
    const value = row[column];
    if (typeof value === 'string' && moment.test(column)) row[column] = new Date(value);
  }
  return row as Row;
}

/** Several rows that the database wrote as a JSON array; null is none. */
export const rowsOf = <Row extends object>(json: unknown): Row[] =>
  ((json ?? []) as object[]).map((row) => rowOf<Row>(row));
