import type { ReadPage } from '../../../model/read-page.ts';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { defineTask } from '../../../sandbox/task.ts';
import { runTask, type TaskOptions } from '../../../sandbox/task-runner.ts';
import type { Section } from '../../../search/types.ts';
import { cleanText } from '../clean.ts';
import { pagesThat } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import type { readPdfPictures } from './pdf-pictures.ts';

/** Decodes the pictures on pages of a PDF in a child process. */
const picturesTask = defineTask<typeof readPdfPictures>(new URL('pdf-pictures.ts', import.meta.url), 'readPdfPictures');

/** How many pages are decoded at once. */
const batch = 4;
/** After this many failures in a row, the model is asked for no further page. */
const maxFailures = 2;

/**
 * Adds the text of the pages of a PDF that have none (`withoutText`), as a model reads it from their pictures. A page
 * that could not be read is named in a warning, and `isPartial` is set if reading it again may help. Rejects with
 * `ExtractFailure` if nothing was read at all.
 */
export async function withPictures(
  extracted: Extracted,
  bytes: Uint8Array,
  readPage: ReadPage,
  options: TaskOptions,
): Promise<Extracted> {
  const { withoutText = [], ...rest } = extracted;
  if (withoutText.length === 0) return rest;
  const wanted = withoutText.slice(0, readPage.maxPages);
  const outcome = { read: [] as number[], cut: [] as number[], failed: [] as number[], empty: [] as number[] };
  const sections: Section[] = [...extracted.sections];
  let failures = 0;
  for (let at = 0; at < wanted.length; at += batch) {
    const pages = wanted.slice(at, at + batch);
    // A copy: the task runner detaches the bytes it is given.
    const found = await picturesOf(Uint8Array.from(bytes), pages, options);
    for (const [index, { page, pictures }] of found.entries()) {
      options.onProgress?.(at + index, wanted.length);
      if (pictures.length === 0) outcome.empty.push(page);
      else if (failures >= maxFailures) outcome.failed.push(page);
      else {
        const seen = await see(readPage, pictures, options.signal);
        failures = seen ? 0 : failures + 1;
        const text = cleanText(seen?.text ?? '');
        if (text.trim()) sections.push({ page, text });
        const kind = !seen ? 'failed' : !text.trim() ? 'empty' : 'read';
        outcome[kind].push(page);
        if (seen?.isCut) outcome.cut.push(page);
      }
    }
  }
  const rejected = withoutText.slice(wanted.length);
  const { read, cut, failed, empty } = outcome;
  const warnings = [
    read.length > 0
      ? `${pagesThat(read, 'was', 'were')} read from pictures by the model ${readPage.model}, which may err`
      : '',
    cut.length > 0 ? `${pagesThat(cut, 'was', 'were')} not read to the end: too much text` : '',
    failed.length > 0 ? `${pagesThat(failed, 'has', 'have')} no text; the model that reads pictures failed` : '',
    empty.length > 0 ? `${pagesThat(empty, 'has', 'have')} no text` : '',
    rejected.length > 0
      ? `${pagesThat(rejected, 'has', 'have')} no text; of one file, ${readPage.maxPages} pictures of pages are read`
      : '',
  ].filter(Boolean);
  if (sections.length === 0) throw new ExtractFailure(`There is no text in it: ${warnings.join('; ')}`);
  sections.sort((a, b) => (a.page ?? 0) - (b.page ?? 0));
  return {
    ...rest,
    sections,
    warnings: [...(extracted.warnings ?? []), ...warnings],
    ...(failed.length > 0 && { isPartial: true }),
  };
}

/** The pictures of pages; none if they take too much memory or time. */
async function picturesOf(bytes: Uint8Array, pages: number[], options: TaskOptions) {
  try {
    return await runTask(picturesTask, { bytes, pages }, { ...options, onProgress: undefined });
  } catch (error) {
    if (options.signal?.aborted || !(error instanceof ExtractFailure)) throw error;
    return pages.map((page) => ({ page, pictures: [] as Uint8Array[] }));
  }
}

async function see(readPage: ReadPage, pictures: Uint8Array[], signal: AbortSignal | undefined) {
  try {
    return await readPage.read(pictures, signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    return null;
  }
}
