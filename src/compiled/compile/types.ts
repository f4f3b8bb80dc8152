import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Context } from '../../context.ts';
import type { Where } from '../../database/query/delegate.ts';
import { type Model, type Models, modelOf } from '../../lists/sql/models.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { extensionsOf, typeExtensionsOf } from './extensions.ts';

export type RelationQuery = { where?: Where; orderBy?: Where | Where[]; [other: string]: unknown };

/** Returns the `query` of `t.relation(…, {query})`, which Pothos keeps within its own selection. */
export function queryOf(field: GraphQLField<unknown, unknown>, relation: string, context: Context): RelationQuery {
  const select = extensionsOf(field).pothosPrismaSelect;
  if (typeof select !== 'function') return unsupported(`the relation ${relation}`);
  const { select: selected } = select({}, context, (query: unknown) =>
    typeof query === 'function' ? query({}, context) : query,
  ) as {
    select: Record<string, RelationQuery>;
  };
  const query = selected[relation];
  return typeof query === 'object' ? query : unsupported(`the relation ${relation}`);
}

/** Returns the model of a type. */
export const modelOfType = (models: Models, type: GraphQLObjectType): Model =>
  modelOf(models, typeExtensionsOf(type).pothosPrismaModel ?? unsupported(`${type.name} is no table`));

/** Returns the object type of a field. */
export function objectType({ type }: { type: GraphQLOutputType }): GraphQLObjectType {
  const named = getNamedType(type);
  return isObjectType(named) && !isInterfaceType(named) ? named : unsupported(`the type ${named.name}`);
}
