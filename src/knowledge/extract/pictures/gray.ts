import type { Gray } from './png.ts';

/** A decoded picture of pdf.js. `kind`: 1 is a bit per pixel, each row padded to bytes; 2 is RGB, 3 RGBA. */
export type Bitmap = { width: number; height: number; kind: number; data: Uint8Array | Uint8ClampedArray };

/** Models scale larger pictures down to about this. */
const maxSide = 2_000;

/** Converts a picture to grayscale, scaled down so that its longest side has at most 2,000 pixels. */
export function toGray(bitmap: Bitmap): Gray {
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
