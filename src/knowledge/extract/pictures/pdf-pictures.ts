import { getResolvedPDFJS } from 'unpdf';
import { openPdf } from '../pdf/pdf.ts';
import type { Pdf } from '../pdf/pdf-page.ts';
import { type Bitmap, toGray } from './gray.ts';
import { encodePng, rotate } from './png.ts';

/** The pictures on a page of a PDF, as PNG, in the order in which they are drawn. */
type PagePictures = { page: number; pictures: Uint8Array[] };

/** Smaller pictures are logos and lines. A page that was scanned in stripes has several pictures. */
const least = { width: 200, height: 50 };
const maxPictures = 6;

/**
 * Returns the pictures on pages of a PDF, at most 6 of each, the largest; none for a page that cannot be read. Takes
 * and returns plain data, since it runs in a child process.
 */
export async function readPdfPictures(asked: { bytes: Uint8Array; pages: number[] }): Promise<PagePictures[]> {
  const pdf = await openPdf(asked.bytes);
  try {
    const found: PagePictures[] = [];
    for (const page of asked.pages) found.push({ page, pictures: await picturesOf(pdf, page).catch(() => []) });
    return found;
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function picturesOf(pdf: Pdf, number: number): Promise<Uint8Array[]> {
  const page = await pdf.getPage(number);
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const drawn: { at: number; size: number; picture: Uint8Array }[] = [];
  for (const [at, operator] of fnArray.entries()) {
    const [given] = argsArray[at] ?? [];
    const isNamed = operator === OPS.paintImageXObject;
    if (!isNamed && operator !== OPS.paintInlineImageXObject) continue;
    const bitmap = (isNamed ? await named(page, String(given)) : given) as Bitmap | null;
    if (!bitmap?.data || bitmap.width < least.width || bitmap.height < least.height) continue;
    const picture = encodePng(rotate(toGray(bitmap), page.rotate));
    drawn.push({ at, size: bitmap.width * bitmap.height, picture });
  }
  page.cleanup();
  const largest = drawn.sort((a, b) => b.size - a.size).slice(0, maxPictures);
  return largest.sort((a, b) => a.at - b.at).map(({ picture }) => picture);
}

/** A picture that several pages share begins with `g_`. */
const named = (page: Awaited<ReturnType<Pdf['getPage']>>, name: string): Promise<unknown> =>
  new Promise((resolve) => {
    (name.startsWith('g_') ? page.commonObjs : page.objs).get(name, resolve);
  });
