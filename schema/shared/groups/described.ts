import { uncapitalized } from '../../../src/core/capitals.ts';
import type { AnyGroupTexts } from './texts.ts';

/** Describes a measure by its name in orders, filters and ratios of groups. */
export function described(field: string, texts: AnyGroupTexts): string {
  if (field === 'by') return 'The keys in `by`, in the order in which they are selected.';
  if (field === 'count') return 'Number of rows in the group.';
  const [, total] = /^cumulative(Count|Sum.*)$/.exec(field) ?? [];
  if (total) {
    const of = uncapitalized(total);
    return `Running total over the time span in \`by\`, which there must be: of \`${of}\`.`;
  }
  const [, aggregate = '', column = ''] = /^(distinct|sum|avg|min|max|p50|p95)(.*)$/.exec(field) ?? [];
  const called = uncapitalized(column);
  const text = texts.numbers?.[called] ?? texts.distinct?.[called] ?? texts.moments[called] ?? '';
  return `As \`${aggregate} { ${called} }\`: ${text}`;
}
