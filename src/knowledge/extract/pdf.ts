import { getDocumentProxy } from 'unpdf';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import type { Section } from '../../search/types.ts';
import { aboutFile } from './about.ts';
import { cleanText } from './clean.ts';
import type { Extracted } from './types.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;
const maxPages = 5_000;

/** A PDF's text, a section for each page that has any. Rejects with `ExtractFailure`. */
export async function readPdf(bytes: Uint8Array, onProgress: OnProgress): Promise<Extracted> {
  const pdf = await openPdf(bytes);
  try {
    if (pdf.numPages > maxPages) throw new ExtractFailure(`The PDF has more than ${maxPages} pages: split it`);
    const sections = await readPages(pdf, onProgress);
    const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    return { ...aboutFile({ title: text(info.Title), description: text(info.Subject) }), sections };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  try {
    // pdf.js takes the array that it is given for itself, and refuses a Buffer.
    return await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
    });
  } catch (error) {
    const locked = (error as Error).name === 'PasswordException';
    throw new ExtractFailure(
      locked ? 'The PDF is locked with a password' : 'The PDF could not be read: it is damaged or not a PDF',
      { cause: error },
    );
  }
}

async function readPages(pdf: Pdf, onProgress: OnProgress): Promise<Section[]> {
  const sections: Section[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    onProgress(number - 1, pdf.numPages);
    const text = await readPage(pdf, number);
    if (text) sections.push({ page: number, text });
  }
  return sections;
}

async function readPage(pdf: Pdf, number: number): Promise<string> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return unwrap(cleanText(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')));
  } catch (error) {
    throw new ExtractFailure(`Page ${number} of the PDF could not be read: it is damaged`, { cause: error });
  }
}

/** Joins the lines of a paragraph: those that run to the page's edge or go on in lower case, and words cut by a hyphen. */
function unwrap(text: string): string {
  const lines = text.split('\n');
  const full = Math.max(...lines.map((line) => line.length)) * 0.75;
  return lines.reduce((joined, line, index) => {
    const previous = lines[index - 1] ?? '';
    if (!previous || !line) return `${joined}\n${line}`;
    if (/\p{Ll}-$/u.test(previous) && /^\p{Ll}/u.test(line)) return joined.slice(0, -1) + line;
    const goesOn = /^\p{Ll}/u.test(line) || (previous.length >= full && !/^\s*([-•*–]|\d+[.)])/.test(line));
    return joined + (goesOn ? ' ' : '\n') + line;
  });
}
