import { invalid } from '../../core/errors.ts';
import { sealOf } from '../cursors.ts';
import { type GroupRule, isCount, type Measure } from '../group.ts';
import { allRows, countId, sortFields } from './ids.ts';

type Filter = Record<string, unknown> | null;
export type RatioArguments = { of: string; ofFilter?: Filter; to: string; toFilter?: Filter };
type Ratio = Extract<Measure, { aggregate: 'ratio' }>;

/** Returns the measures of numbers by the names of `sortFields`, which ratios are made of. */
export const numbersOf = (rule: GroupRule): Map<string, Measure> =>
  new Map(
    [...sortFields(rule)].flatMap(([name, measure]) =>
      measure === 'keys' || (!isCount(measure) && 'column' in measure && rule.moments.includes(measure.column))
        ? []
        : [[name, measure]],
    ),
  );

/** Returns a ratio. Throws 400 `invalid_request`, naming the argument, for a filter of anything but a count. */
export function ratioOf(rule: GroupRule, args: RatioArguments, within = ''): Ratio {
  const part = (name: 'of' | 'to'): Measure => {
    const measure = sortFields(rule).get(args[name]);
    if (!measure || measure === 'keys') throw new Error(`no number of groups is called ${args[name]}`);
    const filter = args[`${name}Filter`];
    const id = countId(filter);
    if (id === allRows.id) return measure;
    if (measure !== allRows) throw invalid(`${within}ratio.${name}Filter: can only be given with ${name}: count.`);
    return { id, aggregate: 'count', filter: filter ?? null };
  };
  const [of, to] = [part('of'), part('to')];
  return { id: `ratio ${JSON.stringify([of.id, to.id])}`, aggregate: 'ratio', of, to };
}

/** Returns the column of a ratio in the filter of groups: short, since PostgreSQL truncates long names. */
export const columnOfRatio = ({ id }: Ratio): string => `ratio ${sealOf(id)}`;

/** Returns the ratio of two numbers; null if one is missing, the divisor is 0, or no number can express it. */
export function ratio(of: number | null, to: number | null): number | null {
  const quotient = of === null || to === null ? Number.NaN : of / to;
  return Number.isFinite(quotient) ? quotient : null;
}
