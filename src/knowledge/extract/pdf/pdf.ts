import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocumentProxy } from 'unpdf';
import { grouped } from '../../../core/validation.ts';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { OnProgress } from '../../../sandbox/task.ts';
import { descriptionOf } from '../about.ts';
import { cleanText } from '../clean.ts';
import { count, pagesThat } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { PdfObjects } from './pdf-objects.ts';
import { compoundsIn, type Pdf, type PdfPage, readPdfPage, unwrap } from './pdf-page.ts';
import { withoutPrinted, withoutRepeats } from './pdf-repeats.ts';

const maxPages = 5_000;
/** Larger pictures are not decoded. A4 at 600 dpi has 35 million pixels. */
const maxPixels = 50_000_000;
/** How many bytes at the end to search for the end-of-file marker. */
const tail = 2_048;

/** Reads a PDF, filled-in forms included: one section per page that has text. Rejects with `ExtractFailure`. */
export async function readPdf(bytes: Uint8Array, onProgress: OnProgress, pictures = false): Promise<Extracted> {
  // Before opening: pdf.js detaches the bytes.
  const isCutOff = !hasEnd(bytes);
  const pdf = await openPdf(bytes);
  try {
    if (pdf.numPages > maxPages) throw new ExtractFailure(`The PDF has more than ${grouped(maxPages)} pages: split it`);
    const read = await readPages(pdf, { isCutOff, pictures }, onProgress);
    const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    return { ...descriptionOf({ title: text(info.Title), description: text(info.Subject) }), ...read };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Data for pdf.js about character maps and fonts that files do not embed; from its package by `npm run generate`. */
const data = fileURLToPath(new URL('../generated/', import.meta.url));

/** Whether the end-of-file marker is present. Some programs append data after it. */
const hasEnd = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(-tail)).includes('%%EOF');

/** Opens a PDF. Rejects with `ExtractFailure`. Detaches the bytes. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    // pdf.js detaches the array that it is given, and rejects a Buffer.
    return await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      verbosity: 0,
      useSystemFonts: false,
      maxImageSize: maxPixels,
      disableFontFace: true,
      cMapUrl: path.join(data, 'cmaps/'),
      cMapPacked: true,
      standardFontDataUrl: path.join(data, 'standard_fonts/'),
    });
  } catch (error) {
    const locked = (error as Error).name === 'PasswordException';
    throw new ExtractFailure(
      locked ? 'The PDF is locked with a password' : 'The PDF could not be read: it is damaged or not a PDF',
      { cause: error },
    );
  }
}

type Read = Pick<Extracted, 'sections' | 'warnings' | 'withoutText'>;
/** `pictures`: those of pages without text are read later. */
type Reading = { isCutOff: boolean; pictures: boolean };

async function readPages(pdf: Pdf, { isCutOff, pictures }: Reading, onProgress: OnProgress): Promise<Read> {
  const pages: PdfPage[] = [];
  const damaged: number[] = [];
  let cause: unknown;
  let opened: PdfObjects | null = null;
  const objects = async () => (opened ??= new PdfObjects(await pdf.getData()));
  for (let number = 1; number <= pdf.numPages; number++) {
    onProgress(number - 1, pdf.numPages);
    try {
      pages.push(await readPdfPage(pdf, number, objects));
    } catch (error) {
      cause = error;
      damaged.push(number);
      pages.push({ lines: [], fields: [], emptyFields: 0 });
    }
  }
  if (damaged.length === pages.length) throw new ExtractFailure('The pages of the PDF are damaged', { cause });
  const bodies = withoutRepeats(pages.map(({ lines }) => withoutPrinted(lines)));
  const compounds = compoundsIn(bodies);
  const sections = pages.map(({ fields }, index) => {
    const texts = [unwrap(bodies[index] ?? [], compounds), fields.join('\n')];
    return { page: index + 1, text: cleanText(texts.filter((text) => text.trim()).join('\n\n')) };
  });
  const isWithoutText = ({ lines, fields }: PdfPage) => !fields.length && !lines.some((line) => line.trim());
  const withDamage = (damage: PdfPage['damage']) =>
    pages.flatMap((page, index) => (page.damage === damage ? [index + 1] : []));
  const undecoded = withDamage('undecoded');
  const emptyPages = pages.flatMap((page, index) =>
    isWithoutText(page) && !damaged.includes(index + 1) ? [index + 1] : [],
  );
  const plainPages = emptyPages.filter((page) => !undecoded.includes(page));
  const empty = pages.reduce((sum, { emptyFields }) => sum + emptyFields, 0);
  if (undecoded.length > 0 && !pictures && !sections.some(({ text }) => text)) {
    throw new ExtractFailure(
      'Its font does not say which characters it shows, so its text cannot be read: make the PDF again with embedded fonts that can be searched',
    );
  }
  const warnings = [
    isCutOff ? 'The file is truncated: its end is missing, and possibly some of its pages' : '',
    damaged.length ? `${pagesThat(damaged, 'is damaged and was', 'are damaged and were')} left out` : '',
    plainPages.length && !pictures
      ? `${pagesThat(plainPages, 'has', 'have')} no text; pictures of text are not read`
      : '',
    undecoded.length && !pictures
      ? `${pagesThat(undecoded, 'has', 'have')} text in a font that does not say which characters it shows, which is not read`
      : '',
    ...[withDamage('garbled')].map((garbled) =>
      garbled.length ? `${pagesThat(garbled, 'may be', 'may be')} garbled: most of its words are none` : '',
    ),
    ...[withDamage('lostSigns')].map((lost) =>
      lost.length ? `${pagesThat(lost, 'may lack', 'may lack')} letters of words in a script that joins its signs` : '',
    ),
    empty ? `${count(empty, 'form field is', 'form fields are')} empty` : '',
  ].filter(Boolean);
  return { sections: sections.filter(({ text }) => text), warnings, ...(pictures && { withoutText: emptyPages }) };
}
