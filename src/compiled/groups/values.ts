import { type GraphQLField, type GraphQLLeafType, getNamedType, isEnumType, isLeafType, isNonNullType } from 'graphql';
import { memoize } from '../../core/lazy.ts';
import { type Measure, weekdays } from '../../lists/group.ts';
import { textOfKey } from '../../lists/groups/keys.ts';
import { ratio } from '../../lists/groups/ratio.ts';
import type { Value } from '../../lists/groups/result.ts';
import type { Binding } from '../../lists/sql/binding.ts';
import { concat, type Pieces, quote, sql, text, written } from '../../lists/sql/sql.ts';
import { unsupported } from '../../lists/unsupported.ts';
import { orNull, sameNames } from '../compile/leaf.ts';
import type { PostProcessor, PostProcessors } from '../compile/post-process.ts';

type Field = GraphQLField<unknown, unknown>;
type Expression = (binding: Binding) => string;

/** Writes a measure for the response, given its expression for JSON. */
export function valueOfMeasure(
  field: Field,
  aggregate: Measure['aggregate'],
  value: Expression,
  of: PostProcessors,
): Pieces {
  const type = leafType(field);
  const plain = written(['(', value, ')::text']);
  if (aggregate === 'count' || aggregate === 'distinct') return plain;
  if (type.name === 'Int') return orNull(plain, true);
  if (type.name !== 'Float' && type.name !== 'DateTime') return unsupported(`a measure of the type ${type.name}`);
  return orNull(of.mark(plain, serializerOf(type)), true);
}

/** Writes an end of a range of numbers. */
export const rangeEnd = (field: Field, value: Expression, of: PostProcessors): Pieces =>
  orNull(of.mark(written(['(', value, ')::text']), serializerOf(leafType(field))), true);

/** Writes the ratio of two measures, which is divided like the resolvers do it, in JavaScript. */
export function valueOfRatio(of: Expression, to: Expression, postProcessors: PostProcessors): Pieces {
  const parts = written(
    sql`'[' || coalesce((${[of]})::text, 'null') || ',' || coalesce((${[to]})::text, 'null') || ']'`,
  );
  return postProcessors.mark(parts, writeRatio);
}

const writeRatio: PostProcessor = (parts) => JSON.stringify(ratio(...(parts as [Value, Value])));

/** Writes a bound of a span: as the database formats it or, where it cannot, from milliseconds since 1970. */
export function bounds(
  field: Field,
  of: { iso: Expression; milliseconds: Expression },
  postProcessors: PostProcessors,
): Pieces {
  const marked = postProcessors.mark(written(['(', of.milliseconds, ')::text']), serializerOf(leafType(field)));
  return written(sql`coalesce('"' || ${[of.iso]} || '"', ${concat(marked)})`);
}

/** Post-processors for what the database cannot write like JavaScript: fractional numbers, and times in any year. */
const serializerOf = memoize((type: GraphQLLeafType): PostProcessor => {
  const isMoment = type.name === 'DateTime';
  return (value) => JSON.stringify(type.serialize(isMoment ? new Date(value as number) : value));
});

/** Writes a key other than a span or a row, given its column. */
export function valueOfKey(field: Field, column: (binding: Binding) => string): Pieces {
  const type = leafType(field);
  const write = (make: (column: string) => string) => written([(binding) => make(column(binding))]);
  if (field.name === 'hourOfDay') return write((of) => `substr(${of}, 2)::int::text`);
  if (field.name === 'dayOfWeek') {
    const days = quote(`{${weekdays.join()}}`);
    return write((of) => `'"' || (${days}::text[])[substr(${of}, 2)::int] || '"'`);
  }
  if (type.name === 'Boolean')
    return write((of) => `CASE ${of} WHEN 'vtrue' THEN 'true' WHEN 'vfalse' THEN 'false' ELSE 'null' END`);
  const nullable = !isNonNullType(field.type);
  if (isEnumType(type)) {
    if (!sameNames(type)) unsupported(`a key of the type ${type.name}`);
    return orNull([...text('"'), ...write(textOfKey), ...text('"')], nullable);
  }
  if (type.name !== 'String' && type.name !== 'ID') unsupported(`a key of the type ${type.name}`);
  return orNull(
    write((of) => `to_json(${textOfKey(of)})::text`),
    nullable,
  );
}

function leafType({ type, name }: Field): GraphQLLeafType {
  const named = getNamedType(type);
  return isLeafType(named) ? named : unsupported(`${name} is no value`);
}
