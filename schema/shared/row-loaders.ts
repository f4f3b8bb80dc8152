import DataLoader from 'dataloader';
import type { Context } from '../../src/context.ts';
import { memoize } from '../../src/core/lazy.ts';
import { delegateOf } from '../../src/database/query/delegate.ts';
import { datamodel } from './datamodel.ts';

type Row = Record<string, unknown>;
/** What to read of a row in addition to its parent's statement. */
type Reading = { model: string; select: Row };
type Selection = { select?: object; include?: object };

const loadersOf = memoize((_: Context) => new Map<string, DataLoader<string, Row | null>>());

/** Reads more of a row by id, batched into one statement for all rows of a request. */
export const readRelated = (context: Context, { model, select }: Reading, id: string): Promise<Row | null> =>
  readRow(context, { model, selection: { select } }, id);

/** The same for a field's own selection. */
export function readRow(
  context: Context,
  reading: { model: string; selection: Selection },
  id: string,
): Promise<Row | null> {
  const loaders = loadersOf(context);
  const key = JSON.stringify(reading);
  const loader = loaders.get(key) ?? new DataLoader<string, Row | null>((ids) => readEach(context, reading, ids));
  loaders.set(key, loader);
  return loader.load(id);
}

async function readEach(
  context: Context,
  { model, selection: { select, ...others } }: { model: string; selection: Selection },
  ids: readonly string[],
) {
  const rows = await delegateOf(context.database, model).findMany({
    where: { id: { in: ids }, ...(isOfWorkspace(model) && { workspaceId: context.viewer.workspaceId }) },
    ...others,
    ...(select && { select: { ...select, id: true } }),
  });
  const found = new Map(rows.map((row) => [row.id as string, row]));
  return ids.map((id) => found.get(id) ?? null);
}

const isOfWorkspace = (model: string) =>
  datamodel.datamodel.models[model]?.fields.some(({ name }) => name === 'workspaceId');
