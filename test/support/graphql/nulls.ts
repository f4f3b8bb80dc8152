import { type GraphQLInputObjectType, getNamedType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { Connection } from './shape.ts';

/** The type of a list's filter, if it has one. */
export const filterOf = ({ field }: Pick<Connection, 'field'>): GraphQLInputObjectType | undefined => {
  const argument = field.args.find(({ name }) => name === 'filter');
  return argument && (getNamedType(argument.type) as GraphQLInputObjectType);
};

/** A filter with a null in it: `path` leads there, `place` is its key in the type of its filter. */
export type WithNull = { path: string; place: string; filter: object };
const operators = ['TextFilter', 'IntFilter', 'FloatFilter', 'JsonKeyFilter', 'DateTimeRange'];

/**
 * Filters with a null at each place that may be null. A time zone and the first day of weeks are no conditions; a
 * filter follows one relation.
 */
export function nullsIn(type: GraphQLInputObjectType, depth = 0, isRelated = false): WithNull[] {
  return Object.values(type.getFields()).flatMap(({ name, type: of }): WithNull[] => {
    const inner = getNamedType(of);
    if (isNonNullType(of) || ['timeZone', 'weekStart'].includes(name)) return [];
    const own = { path: name, place: `${type.name}.${name}`, filter: { [name]: null } };
    const isRelation = isInputObjectType(inner) && !operators.includes(inner.name) && inner !== type;
    if (!isInputObjectType(inner) || depth > 1 || (isRelation && isRelated)) return [own];
    const isByKey = inner.name === 'JsonKeyFilter';
    const within = nullsIn(inner, depth + 1, isRelated || isRelation).map(({ path, place, filter }) => {
      const part = isByKey ? { key: 'plan', ...filter } : filter;
      return {
        path: `${name}.${isByKey ? '0.' : ''}${path}`,
        place,
        filter: { [name]: isListType(of) ? [part] : part },
      };
    });
    return [own, ...within];
  });
}
