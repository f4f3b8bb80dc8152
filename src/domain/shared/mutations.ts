import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { type Permission, permit } from '../../core/permissions.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';
import { type Write, writeRow } from '../../database/query/write.ts';

/** A row as Prisma reads it. */
type RowOf<Model extends Prisma.ModelName> = Prisma.TypeMap['model'][Model]['payload']['scalars'];

type Parts<Model extends Prisma.ModelName, Input, Row> = {
  /** The table that is written. */
  model: Model;
  /** What whoever asks must be allowed to do; it is checked before anything else. */
  permission: Permission;
  /**
   * Checks what is given, and says what is to be written; null when that takes more than one statement.
   * Throws what is wrong; writes nothing.
   */
  prepare: (context: Context, input: Input) => Write | null | Promise<Write | null>;
  /** What it is when nothing was written: an error that says why, or the long way to a row; left out, it is 404. */
  otherwise?: (context: Context, input: Input) => Row | Promise<Row>;
};

/** An operation that changes one row by one statement. Whoever calls it gets the row as it is then. */
export type Writing<Input = never, Row = unknown> = ((context: Context, input: Input) => Promise<Row>) &
  Pick<Parts<Prisma.ModelName, Input, Row>, 'model' | 'permission' | 'prepare'>;

/** The row of the viewer's workspace with this id. */
export const rowWithId = ({ viewer }: Context, id: string) => ({ workspaceId: viewer.workspaceId, id });

/** Makes such an operation. Compiled queries need its parts: they write what was prepared, and read the answer, in one statement. */
export function writing<Model extends Prisma.ModelName, Input, Row = RowOf<Model>>(
  parts: Parts<Model, Input, Row>,
): Writing<Input, Row> {
  const { model, permission, otherwise } = parts;
  const prepare = (context: Context, input: Input) => {
    permit(context, permission);
    return parts.prepare(context, input);
  };
  const write = async (context: Context, input: Input): Promise<Row> => {
    const prepared = await prepare(context, input);
    const row = prepared && (await writeRow<Row>(context.database, prepared));
    if (row) return row;
    if (!otherwise) throw notFound(model);
    return otherwise(context, input);
  };
  return Object.assign(write, { model, permission, prepare });
}
