import { z } from 'zod';

/** The query of the numbered lists. */
export const pageQuery = z.object({
  page: z.coerce.number().int().min(1).default(1).meta({ description: 'The number of the page, from 1.' }),
  size: z.coerce.number().int().min(1).max(100).default(20).meta({ description: 'How many items a page has.' }),
});

export const searchQuery = pageQuery.extend({
  search: z.string().max(500).optional().meta({ description: 'Text to find; case and accents do not matter.' }),
});

export const metaSchema = z
  .strictObject({
    total: z.number().meta({ description: 'Items in the whole list.' }),
    page: z.number().meta({ description: 'The number of this page.' }),
    size: z.number().meta({ description: 'Items that a page has at most.' }),
    first: z.number().meta({ description: 'The number of the first page: 1.' }),
    last: z.number().meta({ description: 'The number of the last page; 1 when the list is empty.' }),
    next: z.number().nullable().meta({ description: 'The number of the next page; null on the last.' }),
    previous: z.number().nullable().meta({ description: 'The number of the page before; null on the first.' }),
  })
  .meta({ id: 'PageMeta', description: 'Where a page stands in its list.' });

/** The schema of a numbered page of items. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item).meta({ description: 'The items of this page.' }), meta: metaSchema });

type PageQuery = z.output<typeof searchQuery>;
const maxOffset = 2 ** 31 - 1;

/** The variables of a list document for a numbered page. */
export const pageVariables = ({ page, size, search }: PageQuery) => ({
  first: size,
  // GraphQL's Int ends here; no list is as long, so the page is empty either way.
  offset: Math.min((page - 1) * size, maxOffset),
  search: search || null,
});

/** The legacy form of a page. */
export function toPage<Item>(
  list: { totalCount: number; nodes: Item[] },
  { page, size }: { page: number; size: number },
): { data: Item[]; meta: z.output<typeof metaSchema> } {
  const last = Math.max(1, Math.ceil(list.totalCount / size));
  return {
    data: list.nodes,
    meta: {
      total: list.totalCount,
      page,
      size,
      first: 1,
      last,
      next: page < last ? page + 1 : null,
      previous: page > 1 ? Math.min(page - 1, last) : null,
    },
  };
}
