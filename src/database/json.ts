import { Prisma } from './generated/prisma/client.ts';

/** What to write into a JSON column so that it holds no value. */
export const jsonNull = Prisma.DbNull;
