import { invalid } from '../../core/errors.ts';
import { memoize } from '../../core/lazy.ts';
import type { Filtered } from '../filter.ts';
import { type Grouping, isCount, type Measure } from '../group.ts';
import type { ListRule } from '../list.ts';
import type { Column, Model } from '../sql/models.ts';
import { orderFields } from './ids.ts';
import { columnOfRatio, type RatioArguments, ratioOf } from './ratio.ts';

/** Reads the type of a column of a list. */
type TypeOf = (column: string) => string;
type Having = NonNullable<Grouping['having']>;

/** Maximum number of different ratios in a filter: each may have two filters of rows. */
const maxRatios = 10;

/** Returns the measures by which groups can be filtered: those by which they can be ordered. */
const measuresOfRule = memoize((rule: ListRule): Map<string, Measure> => {
  const fields = rule.groups ? [...orderFields(rule.groups)] : [];
  return new Map(fields.flatMap(([name, measure]) => (measure === 'keys' ? [] : [[name, measure] as const])));
});

/** Returns the rules of the filter of a list's groups, as for a list of rows with their measures as columns. */
export const havingFilters = memoize((rule: ListRule): Filtered['filters'] => {
  const { groups } = rule;
  const moments: readonly string[] = groups?.moments ?? [];
  const columnOf = (of: RatioArguments) => (groups ? columnOfRatio(ratioOf(groups, of, 'having.')) : '');
  return {
    ...Object.fromEntries(
      [...measuresOfRule(rule)].map(([name, measure]): [string, Filtered['filters'][string]] => {
        const isMoment = 'column' in measure && !isCount(measure) && moments.includes(measure.column);
        const nullable = isCount(measure) ? {} : { nullable: true as const };
        return [name, { kind: isMoment ? 'range' : 'number', column: name, ...nullable }];
      }),
    ),
    ...(groups ? { ratio: { kind: 'ratio', columnOf } } : {}),
  };
});

/** Returns the measures in a filter of groups, with their columns. Throws 400 `invalid_request` for too many ratios. */
export function measuresIn(rule: ListRule, having: object): Having {
  const measures = namedIn(rule, having);
  const ratios = new Set(measures.flatMap(({ name, measure }) => (measure.aggregate === 'ratio' ? [name] : [])));
  if (ratios.size > maxRatios) throw invalid(`having: must have at most ${maxRatios} different ratios.`);
  return measures;
}

function namedIn(rule: ListRule, having: object): Having {
  return Object.entries(having).flatMap(([name, value]) => {
    const joined = name === 'and' || name === 'or' || name === 'not';
    if (joined) return [value ?? []].flat().flatMap((part: object) => namedIn(rule, part));
    if (name === 'ratio') return rule.groups ? ratiosIn(rule.groups, value ?? []) : [];
    const measure = measuresOfRule(rule).get(name);
    return measure ? [{ name, measure }] : [];
  });
}

const ratiosIn = (groups: NonNullable<ListRule['groups']>, given: RatioArguments[]): Having =>
  given.map((args) => {
    const measure = ratioOf(groups, args, 'having.');
    return { name: columnOfRatio(measure), measure };
  });

/** Returns the type in GraphQL of a measure. */
export function typeOfMeasure(measure: Measure, typeOf: TypeOf): string {
  if (measure.aggregate === 'cumulative') return typeOfMeasure(measure.of, typeOf);
  const { aggregate } = measure;
  if (aggregate === 'count' || aggregate === 'distinct') return 'Int';
  return aggregate === 'sum' || aggregate === 'avg' || aggregate === 'ratio' ? 'Float' : typeOf(measure.column);
}

/** Returns groups as a table whose columns are these measures, to filter them like rows. */
export function tableOfGroups(having: Having, { name, columns }: Model): Model {
  const typeOf = (column: string) => columns.get(column)?.type ?? '';
  const measures = having.map(({ name: field, measure }): [string, Column] => [
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
