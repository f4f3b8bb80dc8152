import { Prisma } from './generated/prisma/client.ts';

/** A part of a raw statement, for another one to hold; its values stay parameters. */
export const { sql } = Prisma;

/** Parts of a raw statement, with commas between them. */
export const { join: joinSql } = Prisma;
