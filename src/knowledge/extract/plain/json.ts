import { z } from 'zod';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { createOutline } from '../outline.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { readMarkdown } from './markdown.ts';

const maxDepth = 30;
/** Objects this deep are sections under the name of their key; deeper ones are part of a line. */
const maxHeadings = 3;

/** Reads JSON, or lines of JSON, as names and values. Null for text that is neither an object nor a list. */
export function readJson(text: string): Extracted | null {
  const value = parsed(text);
  if (value === null || typeof value !== 'object') return null;
  return readNotebook(value) ?? readValue(value);
}

function parsed(source: string): unknown {
  const text = source.replace(/^\ufeff/, '').trim();
  if (!/^[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim());
      return lines.length > 1 ? lines.map((line) => JSON.parse(line)) : null;
    } catch {
      return null;
    }
  }
}

function readValue(root: object): Extracted {
  const outline = createOutline();
  const walk = (value: object, level: number): void => {
    if (Array.isArray(value)) {
      for (const each of value) outline.block(lineOf(each, '', level).join(' | '), true);
      return;
    }
    const inner: [string, object][] = [];
    for (const [name, each] of Object.entries(value)) {
      if (level <= maxHeadings && isLarge(each)) inner.push([name, each]);
      else for (const line of lineOf(each, name, level)) outline.block(line, !line.includes('\n'));
    }
    for (const [name, each] of inner) {
      outline.heading(level, name);
      walk(each, level + 1);
    }
  };
  walk(root, 1);
  return { sections: outline.end() };
}

/** Whether a value is a list of objects, or an object. */
const isLarge = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  (!Array.isArray(value) || value.some((each) => typeof each === 'object'));

/** The values in a value, each with the path of names that leads to it: `address.city: Porto`. */
function lineOf(value: unknown, name: string, depth: number): string[] {
  if (depth > maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
  if (value === null || value === '' || isEncoded(value)) return [];
  if (typeof value !== 'object') return [name ? `${name}: ${String(value)}` : String(value)];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) {
    const items = value.filter((each) => each !== null && !isEncoded(each)).join(', ');
    return items ? [name ? `${name}: ${items}` : items] : [];
  }
  return Object.entries(value).flatMap(([key, each]) => {
    const path = Array.isArray(value) ? name : [name, key].filter(Boolean).join('.');
    return lineOf(each, path, depth + 1);
  });
}

/** Whether a text is a file in base64, which is not text to read. */
const isEncoded = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 200 && /^(data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=_-]+$/.test(value);

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);
const output = z.object({ text: text.optional(), data: z.record(z.string(), z.unknown()).optional() });
const cell = z.object({
  cell_type: z.string(),
  source: text.optional(),
  outputs: z.array(output).catch([]),
  // Of format 3.
  input: text.optional(),
  level: z.number().optional(),
});
const cells = z.array(cell);
const notebook = z.union([
  z.object({ nbformat: z.number(), cells }),
  z
    .object({ nbformat: z.number(), worksheets: z.array(z.object({ cells })) })
    .transform(({ worksheets }) => ({ cells: worksheets.flatMap((sheet) => sheet.cells) })),
]);

/** Reads a Jupyter notebook: its texts as Markdown, its code, and the text of its outputs. Null for any other JSON. */
function readNotebook(value: unknown): Extracted | null {
  const parsed = notebook.safeParse(value);
  if (!parsed.success) return null;
  let pictures = 0;
  const parts = parsed.data.cells.flatMap(({ cell_type, source = '', outputs, input = source, level }) => {
    if (cell_type === 'heading') return [`${'#'.repeat(Math.min(level ?? 1, 6))} ${source}`];
    if (cell_type !== 'code') return [source];
    const said = outputs.map(({ text: words, data = {} }) => {
      if (Object.keys(data).some((type) => type.startsWith('image/'))) {
        pictures++;
        return '';
      }
      return words ?? text.safeParse(data['text/plain']).data ?? '';
    });
    return [input, ...said].filter((code) => code.trim()).map(fenced);
  });
  const warnings = pictures ? [`${count(pictures, 'picture is', 'pictures are')} not read`] : [];
  return { ...readMarkdown(parts.join('\n\n')), warnings };
}

/** Code in a fence that is longer than any in it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code.replace(/\n$/, '')}\n${fence}`;
}
