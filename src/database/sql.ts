import { Prisma } from './generated/prisma/client.ts';

/** A fragment of a raw statement; its values stay parameters. */
export const { sql } = Prisma;

/** Joins fragments with commas. */
export const { join: joinSql } = Prisma;

export type Sql = Prisma.Sql;

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A name, such as that of a table, as a fragment of a raw statement. */
export const nameSql = (name: string): Sql => Prisma.raw(quoted(name));

/** A number that the planner knows, unlike that of a parameter in a statement that is planned once. */
export const literalSql = (number: number): Sql => Prisma.raw(String(number));
