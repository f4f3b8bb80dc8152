import { Prisma } from './generated/prisma/client.ts';

/** Sets a JSON column to SQL NULL. */
export const jsonNull = Prisma.DbNull;
