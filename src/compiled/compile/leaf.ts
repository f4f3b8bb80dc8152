import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLLeafType,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { memoize } from '../../core/lazy.ts';
import type { Sql } from '../../lists/sql/binding.ts';
import type { Column } from '../../lists/sql/models.ts';
import type { Row } from '../../lists/sql/rows.ts';
import { concat, name, type Pieces, quote, sql, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import type { PostProcessor, PostProcessors } from './post-process.ts';

type Writer = (subject: Sql, column: Column) => Pieces;

const plain: Writer = (subject) => written(sql`${subject}::text`);
const quoted: Writer = (subject) => [...text('"'), ...written(subject), ...text('"')];
/** Ids contain nothing that JSON would escape. */
const asText: Writer = (subject, column) =>
  column.isName ? quoted(subject, column) : written(sql`to_json(${subject})::text`);
/** In UTC, whatever the session's time zone; as an interval, since a zone's name would be looked up for every value. */
const moment: Writer = (subject, column) =>
  quoted(sql`to_char(${subject} AT TIME ZONE INTERVAL '0', ${[quote('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')]})`, column);

/**
 * Types that the database writes exactly like the resolvers, by the names of the GraphQL type and of the column's type.
 */
const exact: Record<string, Writer> = {
  'ID String': asText,
  'String String': asText,
  'EmailAddress String': asText,
  'HexColorCode String': asText,
  'Int Int': plain,
  'NonNegativeInt Int': plain,
  'Boolean Boolean': plain,
  'DateTime DateTime': moment,
};

/** Types that JavaScript post-processes: JSON without spaces, and numbers in JavaScript's format. */
const jsonLeaves = new Set(['JSON Json', 'JSONObject Json', 'Float Float']);

/** Writes the value of a column for a field. */
export function columnLeaf(
  field: GraphQLField<unknown, unknown>,
  columnName: string,
  { model, alias }: Row,
  postProcessors: PostProcessors,
): Pieces {
  const column = model.columns.get(columnName) ?? unsupported(`${model.name}.${columnName}`);
  if (column.nullable && isNonNullType(field.type)) unsupported(`${model.name}.${columnName} may be null`);
  const type = getNullableType(field.type);
  const named = getNamedType(field.type);
  if (!isLeafType(named) || isListType(type) !== column.isList) return unsupported(`${model.name}.${columnName}`);
  const subject = [`${alias}.${name(columnName)}`];
  return column.isList ? list(named, column, subject) : leaf(named, column, subject, postProcessors);
}

/** Writes the value of a column as its GraphQL type serializes it, including null. */
function leaf(type: GraphQLLeafType, column: Column, subject: Sql, postProcessors: PostProcessors): Pieces {
  return orNull(valueOf(type, column, subject, postProcessors), column.nullable);
}

/** Writes a list of strings or enum values. */
function list(type: GraphQLLeafType, column: Column, subject: Sql): Pieces {
  const isNamed = isEnumType(type) && column.isEnum && sameNames(type);
  if (!isNamed && !['String String', 'ID String'].includes(`${type.name} ${column.type}`))
    unsupported(`a list of ${type.name}`);
  // Prisma reads a null list as an empty one.
  return written(sql`coalesce(array_to_json(${subject})::text, '[]')`);
}

/** Writes null if there is no value. */
export const orNull = (pieces: Pieces, nullable: boolean): Pieces =>
  nullable ? written(sql`coalesce(${concat(pieces)}, 'null')`) : pieces;

function valueOf(type: GraphQLLeafType, column: Column, subject: Sql, postProcessors: PostProcessors): Pieces {
  const kinds = `${type.name} ${column.type}`;
  const writer = exact[kinds];
  if (writer) return writer(subject, column);
  if (isEnumType(type) && column.isEnum && sameNames(type)) return quoted(sql`${subject}::text`, column);
  if (!jsonLeaves.has(kinds)) return unsupported(`${column.type} as ${type.name}`);
  const marked = postProcessors.mark(plain(subject, column), processorOf(type));
  return column.type === 'Json' ? unlessEmpty(subject, marked) : marked;
}

/** Skips post-processing for empty JSON values, which are the most common. */
export const unlessEmpty = (subject: Sql, marked: Pieces): Pieces =>
  written(sql`CASE ${subject} WHEN '{}' THEN '{}' WHEN '[]' THEN '[]' ELSE ${concat(marked)} END`);

/** Whether the database stores the values of an enum under the names that clients see. */
export const sameNames = (type: GraphQLEnumType) => type.getValues().every(({ name, value }) => name === value);

const processorOf = memoize(
  (type: GraphQLLeafType): PostProcessor =>
    (value) =>
      JSON.stringify(type.serialize(value)),
);
