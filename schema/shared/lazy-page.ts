import { lazy } from '../../src/core/lazy.ts';
import type { PageOfRows } from '../../src/lists/pagination.ts';
import type { Counts } from './counts.ts';
import type { GroupedList } from './groups/read.ts';
import type { SearchedList } from './ranked.ts';

type Row = Record<string, unknown>;

/** A page that reads its rows on demand: a dashboard may select only the count. */
export function lazyPage(read: () => Promise<PageOfRows>, counts: Counts, list: GroupedList) {
  const load = lazy(read);
  return {
    get edges() {
      return load().then(({ edges }) => edges);
    },
    get pageInfo() {
      return load().then(({ pageInfo }) => pageInfo);
    },
    counts,
    list,
  };
}

/** The same for a list that was searched. */
export function lazyFoundPage(
  { rule, counts, page }: SearchedList,
  { args, parent }: Pick<GroupedList, 'args' | 'parent'>,
  read: (ids: string[]) => Promise<Row[]>,
) {
  return lazyPage(() => page(read), counts, { rule, args, parent, within: [] });
}
