import { cleanLine } from './clean.ts';
import type { Extracted } from './types.ts';

type About = { title?: string | null | undefined; description?: string | null | undefined };

/** A file's own title and description, as those of its source; empty ones are left out. */
export function descriptionOf({ title, description }: About): Pick<Extracted, 'title' | 'description'> {
  const line = cleanLine(title, 300);
  const lines = cleanLine(description, 1_000);
  return { ...(line && { title: line }), ...(lines && { description: lines }) };
}
