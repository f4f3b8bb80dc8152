import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { FieldMarks } from './extensions.ts';
import type { Finisher, Finishers } from './finish.ts';
import { unlessEmpty } from './leaf.ts';
import { typeOf } from './models.ts';
import { refuse } from './refuse.ts';
import type { Row } from './rows.ts';
import { name, type Pieces, text, written } from './sql.ts';

type Field = GraphQLField<unknown, unknown>;

/** A value that the field's own resolver makes of a few columns, once the database has given them. */
export function computed(
  field: Field,
  { parleyColumns: columns = [], parleyEmptyAs: empty }: FieldMarks,
  { model, alias }: Row,
  finishers: Finishers,
): Pieces {
  const pieces = columns.flatMap((column, index) => {
    const found = model.columns.get(column) ?? refuse(`${model.name}.${column}`);
    if (found.type !== 'Json' && !['text', 'boolean'].includes(typeOf(found)))
      refuse(`${model.name}.${column} of a computed field`);
    const json = `coalesce(to_json(${alias}.${name(column)})::text, 'null')`;
    return [...text(`${index > 0 ? ',' : ''}${JSON.stringify(column)}:`), ...written([json])];
  });
  const marked = finishers.mark([...text('{'), ...pieces, ...text('}')], finisherOf(field));
  return empty ? unlessEmpty([`${alias}.${name(empty)}`], marked) : marked;
}

const finisherByField = new WeakMap<Field, Finisher>();

function finisherOf(field: Field): Finisher {
  const known = finisherByField.get(field);
  if (known) return known;
  const finisher: Finisher = (row, context) => {
    const value = field.resolve?.(row, {}, context, {} as never);
    return JSON.stringify(complete(field.type, value));
  };
  finisherByField.set(field, finisher);
  return finisher;
}

/** The value as its type shows it. Whatever would be an error is the resolvers' to tell. */
function complete(type: GraphQLOutputType, value: unknown): unknown {
  if (isNonNullType(type)) return complete(type.ofType, value) ?? refuse('no value');
  if (value === null || value === undefined) return null;
  if (isListType(type))
    return Array.isArray(value) ? value.map((item) => complete(type.ofType, item)) : refuse('no list');
  const named = getNamedType(type);
  return isLeafType(named) ? (named.serialize(value) ?? refuse('no value')) : refuse(`the type ${named.name}`);
}
