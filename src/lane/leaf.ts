import { type GraphQLEnumType, type GraphQLLeafType, isEnumType } from 'graphql';
import type { Finisher, Finishers } from './finish.ts';
import type { Column } from './models.ts';
import { refuse } from './refuse.ts';
import { concat, type Piece, quote, type Sql, sql, text, written } from './sql.ts';

const asText = (subject: Sql): Sql => sql`to_json(${subject})::text`;
const plain = (subject: Sql): Sql => sql`${subject}::text`;
const quoted = (subject: Sql): Sql => concat([text('"'), written(subject), text('"')]);
const moment = (subject: Sql): Sql =>
  quoted(sql`to_char(${subject} AT TIME ZONE 'UTC', ${[quote('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')]})`);

/** What the database writes exactly as the resolvers would, by the names of the GraphQL type and of the column's. */
const exact: Record<string, (subject: Sql) => Sql> = {
  'ID String': asText,
  'String String': asText,
  'Int Int': plain,
  'Boolean Boolean': plain,
  'DateTime DateTime': moment,
};

/** What JavaScript finishes: JSON without spaces, numbers as it prints them, texts that their scalar checks. */
const finished: Record<string, (subject: Sql) => Sql> = {
  'JSON Json': plain,
  'JSONObject Json': plain,
  'Float Float': plain,
  'EmailAddress String': asText,
  'HexColorCode String': asText,
};

/** The value of a column as the JSON that its GraphQL type makes of it, null included. */
export function leaf(type: GraphQLLeafType, column: Column, subject: Sql, finishers: Finishers): Piece {
  return orNull(valueOf(type, column, subject, finishers), column.nullable);
}

/** A list of texts. */
export function list(type: GraphQLLeafType, column: Column, subject: Sql): Piece {
  if (`${type.name} ${column.type}` !== 'String String') refuse(`a list of ${type.name}`);
  // Prisma reads a list that was never written as an empty one.
  return written(sql`coalesce(array_to_json(${subject})::text, '[]')`);
}

/** The same, or null where there is no value. */
export function orNull(piece: Piece, nullable: boolean): Piece {
  return nullable && 'sql' in piece ? written(sql`coalesce(${piece.sql}, 'null')`) : piece;
}

function valueOf(type: GraphQLLeafType, column: Column, subject: Sql, finishers: Finishers): Piece {
  const kinds = `${type.name} ${column.type}`;
  const writer = exact[kinds];
  if (writer) return written(writer(subject));
  if (isEnumType(type) && column.isEnum && sameNames(type)) return written(quoted(plain(subject)));
  const json = finished[kinds];
  if (json) return finishers.mark(json(subject), finisherOf(type));
  return refuse(`${column.type} as ${type.name}`);
}

const sameNames = (type: GraphQLEnumType) => type.getValues().every(({ name, value }) => name === value);

const finisherByType = new WeakMap<GraphQLLeafType, Finisher>();

function finisherOf(type: GraphQLLeafType): Finisher {
  const known = finisherByType.get(type);
  if (known) return known;
  const finisher: Finisher = (value) => JSON.stringify(type.serialize(value));
  finisherByType.set(type, finisher);
  return finisher;
}
