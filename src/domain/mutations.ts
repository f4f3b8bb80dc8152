import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/prisma/client.ts';
import { type Write, writeRow } from '../database/write.ts';

type Parts<Input, Row> = {
  /** The table that is written. */
  model: Prisma.ModelName;
  /** Checks who asks and what is given, and says what is to be written. Throws what is wrong; writes nothing. */
  prepare: (context: Context, input: Input) => Write | Promise<Write>;
  /** What it is when nothing was written: an error that says why, or the long way to a row. */
  otherwise: (context: Context, input: Input) => Row | Promise<Row>;
};

/** An operation that changes one row by one statement. Whoever calls it gets the row as it is then. */
export type Writing<Input = never, Row = unknown> = ((context: Context, input: Input) => Promise<Row>) &
  Pick<Parts<Input, Row>, 'model' | 'prepare'>;

/** Makes such an operation. The lane needs its parts: it writes by itself what was prepared, and reads its answer with it. */
export function writing<Input, Row>({ model, prepare, otherwise }: Parts<Input, Row>): Writing<Input, Row> {
  const write = async (context: Context, input: Input): Promise<Row> => {
    const prepared = await prepare(context, input);
    return (await writeRow<Row>(context.database, prepared)) ?? otherwise(context, input);
  };
  return Object.assign(write, { model, prepare });
}
