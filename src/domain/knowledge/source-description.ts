import type { Source } from '../../database/generated/prisma/client.ts';
import type { Extracted } from '../../knowledge/extract/types.ts';

type ReadDescription = Pick<Extracted, 'title' | 'description' | 'img'>;
type Described = Pick<Source, 'title' | 'description' | 'img' | 'found'>;

/** How the source described itself when it was last read. */
export const storedDescription = ({ found }: Pick<Source, 'found'>): ReadDescription =>
  (found ?? {}) as ReadDescription;

/**
 * The descriptive columns of a source that now describes itself as `found`. Values that the caller gave are kept;
 * values that came from the source itself are updated.
 */
export function described(source: Described, { title = null, description = null, img = null }: NullableFound) {
  const before = storedDescription(source);
  const given = (key: keyof ReadDescription) => (source[key] === (before[key] ?? null) ? null : source[key]);
  return {
    title: given('title') ?? title,
    description: given('description') ?? description,
    img: given('img') ?? img,
    found: { title, description, img },
  };
}

type NullableFound = { [Key in keyof ReadDescription]?: string | null };
