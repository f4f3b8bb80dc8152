import { invalid, type ParleyError } from '../../core/errors.ts';
import { limits, rowsPerPoint } from '../../core/limits.ts';
import { grouped } from '../../core/validation.ts';
import { rangeOf } from '../../lists/list.ts';
import { type Extent, isTooLargeToWalk } from '../documents/extent.ts';
import type { Price, Read } from './reads.ts';

/** 400 `invalid_request` for an operation that is too deep, too broad or too complex. */
const tooLarge = (what: 'depth' | 'breadth' | 'size' | 'complexity' | 'introspection', size: number): ParleyError =>
  invalid(
    `The operation is too large: its ${what} is ${size}. ` +
      'Ask for smaller pages (first), fewer levels, or several operations.',
  );

/**
 * Returns the error for an operation with too many levels, fields, or nodes of any kind, or too long a name; or null.
 */
export function refusalOf(extent: Extent): ParleyError | null {
  const { depth, breadth, nodes, name } = extent;
  if (depth > limits.query.depth) return tooLarge('depth', depth);
  if (breadth > limits.query.breadth) return tooLarge('breadth', breadth);
  if (name > limits.query.name)
    return invalid(`An alias or label has ${name} characters: ${limits.query.name} are the maximum.`);
  return isTooLargeToWalk(extent) ? tooLarge('size', nodes) : null;
}

/** Returns the error for an operation that costs too much, with advice on what to narrow; null if it does not. */
export function tooCostly({ cost, reads, described }: Price): ParleyError | null {
  const { complexity, introspection } = limits.query;
  if (described > introspection) return tooLarge('introspection', described);
  if (cost <= complexity) return null;
  const scanned = reads.reduce((sum, read) => sum + read.cost, 0);
  const mostExpensive = reads.toSorted((a, b) => b.cost - a.cost)[0];
  if (!mostExpensive || scanned < cost / 2) return tooLarge('complexity', cost);
  const maxRows = complexity * rowsPerPoint;
  if (mostExpensive.cost > complexity) {
    return invalid(
      `${mostExpensive.path} may read ${rounded(mostExpensive.rows ?? 0)} rows, of ${grouped(maxRows)} at most: ${advice(mostExpensive)}.`,
    );
  }
  return invalid(
    `The operation may read ${rounded(scanned * rowsPerPoint)} rows, of ${grouped(maxRows)} at most, with ` +
      `${mostExpensive.path} and others: ${advice(mostExpensive)}, or ask in several operations.`,
  );
}

/** What to change to read fewer rows: the argument, and how. */
export function advice({ rule, by }: Read): string {
  if (typeof by === 'object') return `offset ${grouped(by.offset)}: use the cursor (after)`;
  if (by === 'count') return 'count up to a limit (countUpTo)';
  const range = rangeOf(rule);
  return range ? `narrow filter.${range}` : 'narrow the filter';
}

/** Estimates are rounded to two digits. */
function rounded(rows: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(rows, 1))) - 1);
  return grouped(Math.round(rows / unit) * unit);
}
