import { z } from 'zod';

/** Parses an integer in a query: decimal digits only. */
export const wholeNumber = ({ min, max, preset }: { min: number; max: number; preset: number }) => {
  const sentence = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, sentence)
    .transform(Number)
    .pipe(z.int(sentence).min(min, sentence).max(max, sentence))
    .default(preset);
};

const page = wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER, preset: 1 });
const size = wholeNumber({ min: 1, max: 100, preset: 20 });

/** The query parameters of numbered pages. */
export const pageQuery = z.object({
  page: page.meta({ description: 'The page number, starting at 1.', examples: [1] }),
  size: size.meta({ description: 'The maximum number of items per page.', examples: [20] }),
});

/** The search parameter of a list. */
export const search = (where: string) =>
  z
    .string()
    .max(500)
    .optional()
    .meta({ description: `Text to find in ${where}, ignoring case and accents.` });

const metaSchema = z
  .strictObject({
    total: z.number().meta({ description: 'The total number of items in the list.' }),
    page: z.number().meta({ description: 'The number of this page.' }),
    size: z.number().meta({ description: 'The maximum number of items per page.' }),
    first: z.number().meta({ description: 'The number of the first page: 1.' }),
    last: z.number().meta({ description: 'The number of the last page. 1 if the list is empty.' }),
    next: z.number().nullable().meta({ description: 'The number of the next page. `null` on the last page.' }),
    previous: z.number().nullable().meta({ description: 'The number of the previous page. `null` on the first page.' }),
  })
  .meta({ id: 'PageMeta', description: 'The position of a page in its list.' });

/** Returns the schema of a numbered page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    data: z.array(item).meta({ description: 'The items of this page, newest first.' }),
    meta: metaSchema,
  });

export type PageQuery = z.output<typeof pageQuery>;
const maxOffset = 2 ** 31 - 1;

/** Returns the GraphQL variables for a numbered page. */
export const pageVariables = ({ page, size }: PageQuery) => ({
  first: size,
  // The maximum of GraphQL's Int; no list is as long, so the page is empty either way.
  offset: Math.min((page - 1) * size, maxOffset),
});

/** Like `pageVariables`, for a list with a search. */
export const searchVariables = (query: PageQuery & { search?: string }) => ({
  ...pageVariables(query),
  search: query.search || null,
});

/** Returns the position of a page in a list of `total` items. */
export function metaOf(total: number, { page, size }: PageQuery): z.output<typeof metaSchema> {
  const last = Math.max(1, Math.ceil(total / size));
  return {
    total,
    page,
    size,
    first: 1,
    last,
    next: page < last ? page + 1 : null,
    previous: page > 1 ? Math.min(page - 1, last) : null,
  };
}
