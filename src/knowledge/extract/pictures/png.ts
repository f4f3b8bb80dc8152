import { crc32, deflateSync } from 'node:zlib';

/** A grayscale picture: one byte per pixel, row by row. */
export type Gray = { width: number; height: number; pixels: Uint8Array };

/** Encodes a picture as PNG. Each row is stored as its difference from the one above, which compresses scans well. */
export function encodePng({ width, height, pixels }: Gray): Uint8Array {
  const rows = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) {
    const at = y * (width + 1);
    rows[at] = 2;
    for (let x = 0; x < width; x++) {
      const above = y > 0 ? (pixels[(y - 1) * width + x] as number) : 0;
      rows[at + 1 + x] = (pixels[y * width + x] as number) - above;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat(parts));
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const named = Buffer.concat([Buffer.from(type), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Turns a picture clockwise by a multiple of 90 degrees. */
export function rotate(picture: Gray, degrees: number): Gray {
  const quarters = ((Math.round(degrees / 90) % 4) + 4) % 4;
  return quarters === 0 ? picture : rotate(turnRight(picture), (quarters - 1) * 90);
}

function turnRight({ width, height, pixels }: Gray): Gray {
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) turned[x * height + (height - 1 - y)] = pixels[y * width + x] as number;
  }
  return { width: height, height: width, pixels: turned };
}
