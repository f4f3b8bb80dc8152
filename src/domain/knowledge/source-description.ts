import type { Source } from '../../database/generated/prisma/client.ts';
import type { Extracted } from '../../knowledge/extract/types.ts';

type ReadDescription = Pick<Extracted, 'title' | 'description' | 'img'>;
type Described = Pick<Source, 'title' | 'description' | 'img' | 'found'>;

/** What a source said of itself when it was read last. */
export const foundBefore = ({ found }: Pick<Source, 'found'>): ReadDescription => (found ?? {}) as ReadDescription;

/**
 * The columns that describe a source which says `found` of itself now. What was given with it goes before; what stands
 * there because it said so itself is what it says now.
 */
export function described(source: Described, { title = null, description = null, img = null }: NullableFound) {
  const before = foundBefore(source);
  const given = (key: keyof ReadDescription) => (source[key] === (before[key] ?? null) ? null : source[key]);
  return {
    title: given('title') ?? title,
    description: given('description') ?? description,
    img: given('img') ?? img,
    found: { title, description, img },
  };
}

type NullableFound = { [Key in keyof ReadDescription]?: string | null };
