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
  let tight = false;
  let bare: string | null = null;

  const place = () => (path.length ? { heading: path.map(({ title }) => title).join(' › ') } : {});
  const close = (nextLevel: number) => {
    const text = cleanText(body);
    const lonely = bare !== null && nextLevel <= (path.at(-1)?.level ?? 0);
    if (text.trim()) sections.push({ ...place(), text });
    // A heading without content becomes a section of its own; one with subheadings appears in their paths.
    else if (lonely && bare) sections.push({ ...place(), text: bare });
    body = '';
    bare = null;
  };

  return {
    heading(level: number, text: string): void {
      const title = cleanLine(text, maxHeading);
      // A page's title is often repeated as its first heading.
      if (!title || (bare !== null && !body && path.at(-1)?.title === title)) return;
      close(level);
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, title });
      bare = text.trim();
      // The part that the heading path truncates would be lost otherwise.
      if ((cleanLine(text)?.length ?? 0) > maxHeading) body = bare;
    },
    /** Adds a paragraph, or a row: consecutive rows (`isRow`) are not separated by a blank line. */
    block(text: string, isRow = false): void {
      if (!text.trim()) return;
      body += `${body && (isRow && tight ? '\n' : '\n\n')}${text}`;
      tight = isRow;
    },
    end(): Section[] {
      close(0);
      return sections;
    },
  };
}
