import { z } from 'zod';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { readMarkdown } from './markdown.ts';

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
export function readNotebook(value: unknown): Extracted | null {
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
