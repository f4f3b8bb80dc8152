import type { Lists } from './lists.ts';

/** The rows that a field's statement may read, why, and their cost. `rows` is null if unknown. */
export type Read = Pick<Lists, 'rule' | 'path' | 'ranges' | 'rows'> & {
  by: 'group' | 'count' | 'sort' | { offset: number };
  cost: number;
};
export type Price = { cost: number; reads: Read[] };
