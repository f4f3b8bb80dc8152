import { getResolvedPDFJS } from 'unpdf';
import { openPdf } from '../pdf/pdf.ts';
import type { Pdf } from '../pdf/pdf-page.ts';
import { encodePng, type Gray, rotate } from './png.ts';

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

/** A decoded picture of pdf.js. `kind`: 1 is a bit per pixel, each row padded to bytes; 2 is RGB, 3 RGBA. */
type Bitmap = { width: number; height: number; kind: number; data: Uint8Array | Uint8ClampedArray };

/** Models scale larger pictures down to about this. */
const maxSide = 2_000;

/** Converts a picture to grayscale, scaled down so that its longest side has at most 2,000 pixels. */
function toGray(bitmap: Bitmap): Gray {
  const { width, height } = bitmap;
  const factor = Math.max(1, Math.max(width, height) / maxSide);
  const small = { width: Math.max(1, Math.floor(width / factor)), height: Math.max(1, Math.floor(height / factor)) };
  const sums = new Float32Array(small.width * small.height);
  const counts = new Uint16Array(sums.length);
  const lightAt = lightOf(bitmap);
  for (let y = 0; y < height; y++) {
    const row = Math.min(small.height - 1, Math.floor(y / factor)) * small.width;
    for (let x = 0; x < width; x++) {
      const at = row + Math.min(small.width - 1, Math.floor(x / factor));
      sums[at] = (sums[at] as number) + lightAt(x, y);
      counts[at] = (counts[at] as number) + 1;
    }
  }
  const pixels = Uint8Array.from(sums, (sum, at) => Math.round(sum / Math.max(1, counts[at] as number)));
  return { ...small, pixels };
}

/** Returns the lightness of pixels, from 0 to 255. */
function lightOf({ width, kind, data }: Bitmap): (x: number, y: number) => number {
  if (kind === 1) {
    const rowBytes = (width + 7) >> 3;
    return (x, y) => (((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) * 255;
  }
  const channels = kind === 2 ? 3 : 4;
  return (x, y) => {
    const at = (y * width + x) * channels;
    return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
  };
}
