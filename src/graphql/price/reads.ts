import type { Lists } from './lists.ts';

/** The rows that a field's statement may read, why, and their cost. `rows` is null if unknown. */
export type Read = Pick<Lists, 'rule' | 'path' | 'ranges' | 'rows'> & {
  by: 'group' | 'count' | 'sort' | { offset: number };
  cost: number;
};
/** `described`: how many fields of the introspection are asked for. */
export type Price = { cost: number; reads: Read[]; described: number };
