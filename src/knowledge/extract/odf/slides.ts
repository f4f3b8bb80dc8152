import type { Section } from '../../../search/types.ts';
import { cleanLine, cleanText } from '../clean.ts';
import { elements } from '../xml.ts';
import { linesOfTable } from './tables.ts';
import { paragraphsIn } from './text.ts';

const maxHeading = 200;
/** Placeholders for what every slide repeats. */
const repeated = /^(date-time|footer|header|page-number|page)$/;

/** Reads the slides of a presentation or the pages of a drawing: one section each, with the speaker's notes. */
export function readSlides(body: Element): Section[] {
  return elements(body, 'draw:page').flatMap((page, index): Section[] => {
    const { title, text } = readShapes(page);
    const heading = cleanLine(title, maxHeading);
    const notes = [...page.children].find(({ localName }) => localName === 'presentation:notes');
    const long = (cleanLine(title)?.length ?? 0) > maxHeading ? title : '';
    const texts = [long, text, notes ? readShapes(notes).text : ''].filter(Boolean);
    const all = cleanText(texts.join('\n\n') || title);
    return all.trim() ? [{ slide: index + 1, ...(heading && { heading }), text: all }] : [];
  });
}

function readShapes(page: Element): { title: string; text: string } {
  let title = '';
  const texts: string[] = [];
  for (const shape of page.children) {
    const kind = shape.getAttribute('presentation:class') ?? '';
    if (shape.localName === 'presentation:notes' || repeated.test(kind)) continue;
    const [table] = elements(shape, 'table:table');
    const text = (table ? linesOfTable(table) : paragraphsIn(shape)).filter((line) => line.trim()).join('\n');
    if (kind === 'title' && !title) title = text;
    else if (text) texts.push(text);
  }
  return { title, text: texts.join('\n\n') };
}
