import { z } from 'zod';

const [maxTags, maxNameLength, maxTagLength] = [20, 50, 100];
const short = (max: number) => z.string().min(1, 'must not be empty').max(max);

/** Tags of sources: short texts by name. */
export const tagsInput = z
  .record(short(maxNameLength), short(maxTagLength), 'must be an object of strings')
  .refine((tags) => Object.keys(tags).length <= maxTags, `must have at most ${maxTags} tags`);

export type Tags = z.output<typeof tagsInput>;

/** The tags in an object of the caller's own; null for anything else, which is kept as data. */
export const tagsIn = (given: unknown): Tags | null => tagsInput.safeParse(given).data ?? null;
