import { memoize } from '../../core/lazy.ts';
import { type Grouping, isCount, type Measure } from '../../database/query/group.ts';
import type { FilterColumn, ListRule } from '../../database/query/list.ts';
import type { Column, Model } from '../sql/models.ts';
import { sortFields } from './ids.ts';

/** Reads the type of a column of a list. */
type TypeOf = (column: string) => string;

/** Returns the measures by which groups can be filtered: those by which they can be ordered. */
const measuresOfRule = memoize((rule: ListRule): Map<string, Measure> => {
  const fields = rule.groups ? [...sortFields(rule.groups)] : [];
  return new Map(fields.flatMap(([name, measure]) => (measure === 'keys' ? [] : [[name, measure] as const])));
});

/** Returns the rules of the filter of a list's groups, as for a list of rows with their measures as columns. */
export const havingFilters = memoize((rule: ListRule): Record<string, FilterColumn> => {
  const moments: readonly string[] = rule.groups?.moments ?? [];
  return Object.fromEntries(
    [...measuresOfRule(rule)].map(([name, measure]): [string, FilterColumn] => {
      const isMoment =
        measure.aggregate !== 'count' && measure.aggregate !== 'distinct' && moments.includes(measure.column);
      const nullable = isCount(measure) ? {} : { nullable: true as const };
      return [name, { kind: isMoment ? 'range' : 'number', column: name, ...nullable }];
    }),
  );
});

/** Returns the measures that a filter of groups names, some more than once. */
export function measuresIn(rule: ListRule, having: object): NonNullable<Grouping['having']> {
  const measures = measuresOfRule(rule);
  return Object.entries(having).flatMap(([name, value]) => {
    const joined = name === 'and' || name === 'or' || name === 'not';
    if (joined) return [value ?? []].flat().flatMap((part: object) => measuresIn(rule, part));
    const measure = measures.get(name);
    return measure ? [{ name, measure }] : [];
  });
}

/** Returns the type in GraphQL of a measure. */
export function typeOfMeasure(measure: Measure, typeOf: TypeOf): string {
  if (measure.aggregate === 'count' || measure.aggregate === 'distinct') return 'Int';
  return measure.aggregate === 'sum' || measure.aggregate === 'avg' ? 'Float' : typeOf(measure.column);
}

/** Returns the groups of a list as a table whose columns are these measures, to filter them like rows. */
export function tableOfGroups(rule: ListRule, { name, columns }: Model): Model {
  const typeOf = (column: string) => columns.get(column)?.type ?? '';
  const measures = [...measuresOfRule(rule)].map(([field, measure]): [string, Column] => [
    field,
    {
      name: field,
      type: typeOfMeasure(measure, typeOf),
      nullable: !isCount(measure),
      isEnum: false,
      isList: false,
      isName: false,
      hasDefault: false,
      isTouched: false,
    },
  ]);
  return { name: `${name} groups`, columns: new Map(measures), relations: new Map(), keys: new Set() };
}
