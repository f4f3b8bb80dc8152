import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Context } from '../../context.ts';
import { memoize } from '../../core/lazy.ts';
import { typeOf } from '../../lists/sql/models.ts';
import type { Row } from '../../lists/sql/rows.ts';
import { name, type Pieces, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import type { FieldExtensions } from './extensions.ts';
import { unlessEmpty } from './leaf.ts';
import type { PostProcessor, PostProcessors } from './post-process.ts';

type Field = GraphQLField<unknown, unknown>;

/** Writes a value that the field's own resolver computes from a few columns that the database returns. */
export function computed(
  field: Field,
  { parleyColumns: columns = [], parleyEmptyAs: empty }: FieldExtensions,
  { model, alias, isViewer }: Row,
  postProcessors: PostProcessors,
): Pieces {
  const pieces = columns.flatMap((column, index) => {
    const found = model.columns.get(column) ?? unsupported(`${model.name}.${column}`);
    if (found.type !== 'Json' && !found.isEnum && !['text', 'boolean', 'integer'].includes(typeOf(found)))
      unsupported(`${model.name}.${column} of a computed field`);
    const json = `coalesce(to_json(${alias}.${name(column)})::text, 'null')`;
    return [...text(`${index > 0 ? ',' : ''}${JSON.stringify(column)}:`), ...written([json])];
  });
  const processor = isViewer ? ofViewer(field) : processorOf(field);
  const marked = postProcessors.mark([...text('{'), ...pieces, ...text('}')], processor);
  return empty ? unlessEmpty([`${alias}.${name(empty)}`], marked) : marked;
}

const processorOf = memoize(
  (field: Field): PostProcessor =>
    (row, { context }) =>
      resolved(field, row, context),
);

const ofViewer = memoize(
  (field: Field): PostProcessor =>
    (_, { context }) =>
      resolved(field, context.viewer, context),
);

const resolved = (field: Field, parent: unknown, context: Context): string =>
  JSON.stringify(complete(field.type, field.resolve?.(parent, {}, context, {} as never)));

/** Serializes a value by its type. Errors are left to the resolvers. */
function complete(type: GraphQLOutputType, value: unknown): unknown {
  if (isNonNullType(type)) return complete(type.ofType, value) ?? unsupported('no value');
  if (value === null || value === undefined) return null;
  if (isListType(type))
    return Array.isArray(value) ? value.map((item) => complete(type.ofType, item)) : unsupported('no list');
  const named = getNamedType(type);
  return isLeafType(named)
    ? (named.serialize(value) ?? unsupported('no value'))
    : unsupported(`the type ${named.name}`);
}
