import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  parse,
} from 'graphql';
import type { Context } from '../../src/context.ts';
import { invalid, ParleyError } from '../../src/core/errors.ts';
import { etagOf } from '../../src/core/etag.ts';
import type { Prisma } from '../../src/database/generated/prisma/client.ts';
import { changeExpectedRow, RowChanged } from '../../src/domain/updates.ts';
import { executeWhole } from '../../src/graphql/incremental.ts';

type Ids = Record<string, string>;

/** The row that a mutation changes: its table, its key, and how to read it. */
export type Updated = {
  model: Prisma.ModelName;
  /** The columns of its key; by default the `id` of the input in the viewer's workspace. */
  key?: (context: Context, input: Ids) => Ids;
  /** The root field that reads it by the columns of its key; by default `node`. */
  read?: string;
};

/** The description of an input's `expectedUpdatedAt`. */
export const expectedUpdatedAt =
  'The `updatedAt` of the row when you last read it. If the row has changed since, nothing is done and the ' +
  'error `conflict` returns the current row in `extensions.current`.';

/** Runs a change if the row still has the version that the caller expects. Throws 409 `conflict` if it does not. */
export async function changeExpected<T>(
  { model, key = keyById, read = 'node(id: $id)' }: Updated,
  { context, input, expected, info }: { context: Context; input: object; expected: Date; info: GraphQLResolveInfo },
  change: (context: Context) => Promise<T>,
): Promise<T> {
  if (!(expected instanceof Date))
    throw invalid('expectedUpdatedAt: must be a timestamp, as in updatedAt, not a date without a time.');
  const columns = key(context, input as Ids);
  try {
    return await changeExpectedRow(context, { model, key: columns, updatedAt: expected }, change);
  } catch (error) {
    if (!(error instanceof RowChanged)) throw error;
    const current = await readRow(info, context, { model, read, columns });
    const etag = etagOf({ ...columns, updatedAt: error.updatedAt });
    throw new ParleyError(
      'conflict',
      'This has changed since you read it: read it again, and repeat the change if it still applies.',
      {
        current,
        headers: { etag },
      },
    );
  }
}

const keyById = ({ viewer }: Context, { id = '' }: Ids): Ids => ({ workspaceId: viewer.workspaceId, id });

/** Reads the leaf fields of a row as the viewer may see them; null if they may not. */
async function readRow(
  { schema }: GraphQLResolveInfo,
  contextValue: Context,
  { model, read, columns }: { model: string; read: string; columns: Ids },
): Promise<unknown> {
  const type = typeOf(schema, model, read);
  const names = [...read.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
  const declared = names.length > 0 ? `(${names.map((name) => `$${name}: ID!`).join(', ')})` : '';
  const fields = Object.values(type.getFields()).filter(isValue);
  const selected = fields.map(({ name }) => name).join(' ');
  const document = parse(`query ${declared} { row: ${read} { ... on ${type.name} { ${selected} } } }`);
  const variableValues = Object.fromEntries(names.map((name) => [name, columns[name]]));
  const { data } = await executeWhole({ schema, document, variableValues, contextValue });
  return data?.row ?? null;
}

/** Returns the GraphQL type of a table's rows. */
function typeOf(schema: GraphQLSchema, model: string, read: string): GraphQLObjectType {
  const [root = ''] = read.split('(');
  const shown = getNamedType(schema.getQueryType()?.getFields()[root]?.type);
  if (isObjectType(shown)) return shown;
  const nodes = isInterfaceType(shown) ? schema.getPossibleTypes(shown) : [];
  const type = nodes.find(({ extensions }) => extensions.pothosPrismaModel === model);
  if (!type) throw new Error(`${model} is shown by no node`);
  return type;
}

const isValue = ({ type, args, extensions }: GraphQLField<unknown, unknown>): boolean =>
  args.length === 0 && isLeafType(getNamedType(type)) && !extensions.parleyExpensive;
