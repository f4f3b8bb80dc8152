import { z } from 'zod';

const cited = z.object({
  title: z.string().nullable().catch(null),
  url: z.string().nullable().catch(null),
  quote: z.string().catch(''),
  place: z.object({ page: z.number().nullable().catch(null) }).catch({ page: null }),
});

/** A cited source, as readers outside of the graph are shown it. */
export type Cited = { title: string | null; url: string | null; quote: string; page: number | null };

/** The sources in the `references` of a message's metadata: callers may set any JSON. What is none is skipped. */
export function citedIn(references: unknown): Cited[] {
  if (!Array.isArray(references)) return [];
  return references.flatMap((given) => {
    const { data } = cited.safeParse(given);
    return data ? [{ title: data.title, url: data.url, quote: data.quote, page: data.place.page }] : [];
  });
}
