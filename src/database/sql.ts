import { Prisma } from './generated/prisma/client.ts';

/** A fragment of a raw statement; its values stay parameters. */
export const { sql } = Prisma;

/** Joins fragments with commas. */
export const { join: joinSql } = Prisma;

export type Sql = Prisma.Sql;

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
