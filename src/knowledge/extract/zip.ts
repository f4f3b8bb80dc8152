import { unzipSync, zipSync } from 'fflate';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { decodeXml } from './xml-encoding.ts';

const maxEntries = 20_000;
/** Bytes of a whole file once unpacked, by what it says of itself; and of the parts that are read at once. */
const maxUnpacked = 500_000_000;
const maxRead = 120_000_000;

/**
 * The names of the parts of a ZIP file, none of which is unpacked. Throws `ExtractFailure` for one that is damaged, or that
 * would unpack to something huge.
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

/** The parts of a ZIP file that `wanted` names, as text. */
export function readZip(bytes: Uint8Array, wanted: (name: string) => boolean): Map<string, string> {
  const parts = Object.entries(readParts(bytes, wanted));
  return new Map(parts.map(([name, part]) => [name, decodeXml(part)]));
}

type Parts = Record<string, Uint8Array>;

/**
 * The same file with its XML only, and that not packed: whoever unpacks it anew gets no more than was checked here.
 * `change` may write other parts in their place.
 */
export const withXmlOnly = (bytes: Uint8Array, change = (parts: Parts) => parts): Uint8Array<ArrayBuffer> =>
  zipSync(change(readParts(bytes, (name) => /\.(xml|rels)$/i.test(name))), { level: 0 });

/** A part is never longer than the file says that it is. */
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
