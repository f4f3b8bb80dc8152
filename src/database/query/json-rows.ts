/** What the names of columns with moments end in, in all tables. */
const moment = /(?:At|[Ss]ince|Until)$/;

/** A row that the database wrote as JSON, as Prisma returns it. Throws for a null. */
export function rowOf<Row extends object>(json: unknown): Row {
  const entries = Object.entries(json as object);
  return Object.fromEntries(
    entries.map(([column, value]) => [
      column,
      typeof value === 'string' && moment.test(column) ? new Date(value) : value,
    ]),
  ) as Row;
}

/** Several rows that the database wrote as a JSON array; null is none. */
export const rowsOf = <Row extends object>(json: unknown): Row[] =>
  ((json ?? []) as object[]).map((row) => rowOf<Row>(row));
