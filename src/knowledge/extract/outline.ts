import type { Section } from '../../search/types.ts';
import { cleanLine, cleanText } from './clean.ts';

const maxHeading = 200;

/**
 * Collects the headings and blocks of a document, in order, into sections that carry the path of headings above them.
 */
export function createOutline() {
  const sections: Section[] = [];
  const path: { level: number; title: string }[] = [];
  let body = '';
  let joinsNext = false;
  let pendingHeading: string | null = null;

  const location = () => (path.length ? { heading: path.map(({ title }) => title).join(' › ') } : {});
  const close = (nextLevel: number) => {
    const text = cleanText(body);
    const isEmptySection = pendingHeading !== null && nextLevel <= (path.at(-1)?.level ?? 0);
    if (text.trim()) sections.push({ ...location(), text });
    // A heading without content becomes a section of its own; one with subheadings appears in their paths.
    else if (isEmptySection && pendingHeading) sections.push({ ...location(), text: pendingHeading });
    body = '';
    pendingHeading = null;
  };

  return {
    heading(level: number, text: string): void {
      const title = cleanLine(text, maxHeading);
      // A page's title is often repeated as its first heading.
      if (!title || (pendingHeading !== null && !body && path.at(-1)?.title === title)) return;
      close(level);
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, title });
      pendingHeading = text.trim();
      // The part that the heading path truncates would be lost otherwise.
      if ((cleanLine(text)?.length ?? 0) > maxHeading) body = pendingHeading;
    },
    /** Adds a paragraph, or a row: consecutive rows (`isRow`) are not separated by a blank line. */
    block(text: string, isRow = false): void {
      if (!text.trim()) return;
      body += `${body && (isRow && joinsNext ? '\n' : '\n\n')}${text}`;
      joinsNext = isRow;
    },
    end(): Section[] {
      close(0);
      return sections;
    },
  };
}
