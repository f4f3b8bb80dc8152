import type { Context } from '../../context.ts';
import { notFound } from '../../core/errors.ts';
import { type Permission, permit } from '../../core/permissions.ts';
import { afterCommit } from '../../database/client.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';
import type { RowOf } from '../../database/query/find-row.ts';
import { type Write, writeRow } from '../../database/query/write.ts';

type Parts<Model extends Prisma.ModelName, Input, Row> = {
  /** The table of the row that it returns. */
  model: Model;
  /** The table that it writes, if that is another: of rows that join the returned one to others. */
  writes?: Prisma.ModelName;
  /** What the viewer must be allowed to do; checked first. */
  permission: Permission;
  /**
   * Validates the input and returns the write; null if it takes more than one statement. Throws if the input is
   * invalid; writes nothing.
   */
  prepare: (context: Context, input: Input) => Write | null | Promise<Write | null>;
  /**
   * The same without reading first: the write's condition and values say what `prepare` would find out. Only compiled
   * queries can make it; if it writes nothing, `prepare` decides.
   */
  prepareUnread?: (context: Context, input: Input) => Write | null;
  /** Called if nothing was written: throws the reason, or returns the row by other means. Throws 404 by default. */
  fallback?: (context: Context, input: Input) => Row | Promise<Row>;
  /**
   * Called once it has succeeded and is committed; `byFallback`: by `fallback`, which may have found nothing to write.
   */
  after?: (context: Context, byFallback?: boolean) => unknown;
};

/** An operation that writes one row with one statement and returns it. */
export type RowWrite<Input = never, Row = unknown> = ((context: Context, input: Input) => Promise<Row>) &
  Pick<Parts<Prisma.ModelName, Input, Row>, 'model' | 'writes' | 'permission' | 'prepare' | 'prepareUnread' | 'after'>;

/** Selects the row with this id in the viewer's workspace. */
export const rowWithId = ({ viewer }: Context, id: string) => ({ workspaceId: viewer.workspaceId, id });

/** The same, as the key that Prisma needs for a single row. */
export const keyOfRow = (context: Context, id: string) => ({ workspaceId_id: rowWithId(context, id) });

/**
 * Creates such an operation. Its parts are exposed, since compiled queries combine the prepared write and the reading
 * of the result in one statement.
 */
export function rowWrite<Model extends Prisma.ModelName, Input, Row = RowOf<Model>>(
  parts: Parts<Model, Input, Row>,
): RowWrite<Input, Row> {
  const { model, writes, permission, fallback, after } = parts;
  const permitted =
    <Prepared>(prepare: (context: Context, input: Input) => Prepared) =>
    (context: Context, input: Input) => {
      permit(context, permission);
      return prepare(context, input);
    };
  const prepare = permitted(parts.prepare);
  const prepareUnread = parts.prepareUnread && permitted(parts.prepareUnread);
  const write = async (context: Context, input: Input): Promise<Row> => {
    const prepared = await prepare(context, input);
    const written = prepared && (await writeRow<Row>(context.database, prepared));
    if (!written && !fallback) throw notFound(model);
    const row = written ?? (await (fallback as NonNullable<typeof fallback>)(context, input));
    if (after) await afterCommit(context.database, () => after(context, !written));
    return row;
  };
  return Object.assign(write, {
    model,
    permission,
    prepare,
    ...(prepareUnread && { prepareUnread }),
    ...(writes && { writes }),
    ...(after && { after }),
  });
}
