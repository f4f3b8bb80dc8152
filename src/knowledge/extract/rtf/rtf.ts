import { descriptionOf } from '../about.ts';
import { cleanLine } from '../clean.ts';
import { hiddenTextWarning } from '../hidden-warnings.ts';
import { readMarkup } from '../html/html.ts';
import { createOutline } from '../outline.ts';
import { count } from '../ranges.ts';
import { type TableRow, tableLines } from '../tables/table-lines.ts';
import type { Extracted } from '../types.ts';
import type { Destination } from './destinations.ts';
import { type Paragraph, readTokens } from './reader.ts';

const headingNames = /^(?:heading|überschrift|título|titre|titolo|kop) ([1-6])$/i;

/** Reads an RTF file, divided by its headings, with lists and tables; or the HTML that Outlook puts into RTF. */
export function readRtf(bytes: Uint8Array): Extracted {
  const outline = createOutline();
  const levels = new Map<number, number>();
  const about = { title: '', subject: '' };
  let [line, number, html, note] = ['', '', '', ''];
  let notes: string[] = [];
  let cells: string[] = [];
  let rows: TableRow[] = [];
  let [pictures, passages] = [0, 0];

  const endTable = () => {
    for (const row of tableLines(rows)) outline.block(row, true);
    rows = [];
  };
  const endParagraph = ({ style, outline: own, isInTable }: Paragraph) => {
    if (isInTable) {
      line += '\n';
      return;
    }
    endTable();
    const text = line.trim();
    const level = own !== null && own < 9 ? own + 1 : levels.get(style);
    const item = bulletOf(number);
    if (level && text && !item.startsWith('-')) outline.heading(Math.min(level, 6), `${item}${text}`);
    else if (text) outline.block(item + text, Boolean(item));
    for (const each of notes) outline.block(each);
    [line, number, notes] = ['', '', []];
  };

  const texts: Partial<Record<Destination, (text: string) => void>> = {
    body: (text) => {
      line += text;
      html += escape(text);
    },
    html: (text) => {
      html += text;
    },
    number: (text) => {
      number += text;
    },
    note: (text) => {
      note += text;
    },
    title: (text) => {
      about.title += text;
    },
    subject: (text) => {
      about.subject += text;
    },
  };
  const { isHtml } = readTokens(bytes, {
    text: (text, destination) => texts[destination]?.(text),
    paragraph: (properties) => {
      html += '\n';
      endParagraph(properties);
    },
    cell: () => {
      cells.push(cleanLine(line) ?? '');
      [line, number] = ['', ''];
    },
    row: (isHeader) => {
      rows.push({ cells: cells.map((text, column) => ({ text, column, span: 1 })), isHeader });
      cells = [];
    },
    style: (id, name, own) => {
      const level = own !== null && own < 9 ? own + 1 : Number(headingNames.exec(name)?.[1] ?? 0);
      if (level) levels.set(id, level);
      else if (/^title$/i.test(name)) levels.set(id, 1);
    },
    picture: () => {
      pictures++;
    },
    hidden: () => {
      passages++;
    },
    endOf: (destination) => {
      const text = destination === 'note' ? cleanLine(note) : undefined;
      if (text) notes.push(`[*] ${text}`);
      note = '';
    },
  });
  if (isHtml) return { sections: readMarkup(html) };
  endParagraph({ style: 0, outline: null, isInTable: false });
  const warnings = [
    ...hiddenTextWarning(passages),
    ...(pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : []),
  ];
  return { ...descriptionOf({ title: about.title, description: about.subject }), sections: outline.end(), warnings };
}

/** `1. ` of a numbered item, `- ` of one with a bullet. */
function bulletOf(number: string): string {
  const text = number.trim();
  if (!text) return '';
  return /[\p{L}\p{N}]/u.test(text) && text !== 'o' ? `${text} ` : '- ';
}

const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
