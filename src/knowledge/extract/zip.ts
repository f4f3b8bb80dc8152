import { unzipSync, zipSync } from 'fflate';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { decodeXml } from './xml-encoding.ts';

const maxEntries = 20_000;
/** Limits in bytes: the declared unpacked size of a whole file, and of the parts that are read at once. */
const maxUnpacked = 500_000_000;
const maxRead = 120_000_000;

/**
 * Lists the names in a ZIP file without unpacking it. Throws `ExtractFailure` if it is damaged, or declares a huge
 * unpacked size.
 */
export function listZip(bytes: Uint8Array): Set<string> {
  const names = new Set<string>();
  let size = 0;
  unzip(bytes, ({ name, originalSize }) => {
    names.add(name);
    size += originalSize;
    if (names.size > maxEntries || size > maxUnpacked) throw tooLarge();
    return false;
  });
  return names;
}

/** Reads the parts of a ZIP file that `wanted` selects, as text. */
export function readZip(bytes: Uint8Array, wanted: (name: string) => boolean): Map<string, string> {
  const parts = Object.entries(readParts(bytes, wanted));
  return new Map(parts.map(([name, part]) => [name, decodeXml(part)]));
}

type Parts = Record<string, Uint8Array>;

/**
 * Repacks a file with only its XML parts, uncompressed: a library that unpacks it gets no more than was checked here.
 * `change` may replace parts.
 */
export const withXmlOnly = (bytes: Uint8Array, change = (parts: Parts) => parts): Uint8Array<ArrayBuffer> =>
  zipSync(change(readParts(bytes, (name) => /\.(xml|rels)$/i.test(name))), { level: 0 });

/** fflate never unpacks more than a part's declared size. */
function readParts(bytes: Uint8Array, wanted: (name: string) => boolean): Parts {
  let size = 0;
  return unzip(bytes, ({ name, originalSize }) => {
    if (!wanted(name)) return false;
    size += originalSize;
    if (size > maxRead) throw tooLarge();
    return true;
  });
}

const tooLarge = () => new ExtractFailure('The file is too large once unpacked: split it');

function unzip(bytes: Uint8Array, filter: (file: { name: string; originalSize: number }) => boolean) {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The file could not be read: it is damaged', { cause: error });
  }
}
