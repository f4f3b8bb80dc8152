/** PostgreSQL's pages: https://www.postgresql.org/docs/18/storage-page-layout.html */
const pageSize = 8_192;
const headerSize = 24;
const at = { checksum: 8, lower: 12, upper: 14, special: 16, version: 18 };
/** The size of a page and the version of its layout. */
const sizeAndVersion = pageSize | 4;
/** Pages in a file: a relation continues in the next one, `<number>.1`. */
const pagesPerFile = 131_072;

const empty = Buffer.alloc(pageSize);

/**
 * Clears the free space in the middle of pages that are about to be written to the main file of a relation, and updates
 * their checksums. PostgreSQL leaves there what deleted rows and index entries contained, after vacuuming too.
 * `position`: where in the file the pages go; `file`: the number of the file in its relation, from 0.
 */
export function clearHoles(bytes: Uint8Array, position: number, file: number): void {
  if (position % pageSize !== 0 || bytes.length % pageSize !== 0) return;
  const pages = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = 0; start < pages.length; start += pageSize) {
    const page = pages.subarray(start, start + pageSize);
    const [lower, upper] = [page.readUInt16LE(at.lower), page.readUInt16LE(at.upper)];
    const special = page.readUInt16LE(at.special);
    const isPage = page.readUInt16LE(at.version) === sizeAndVersion && lower >= headerSize && special <= pageSize;
    if (!isPage || lower >= upper || upper > special) continue;
    // Some pages of indexes, such as the map of a BRIN index, hold data there, and do not set where it ends.
    // PostgreSQL's comparison of pages with the log (`brin_mask`, `gin_mask`) tells them by this, too. Tables have no
    // special space.
    if (lower === headerSize && special < pageSize) continue;
    if (page.compare(empty, 0, upper - lower, lower, upper) === 0) continue;
    page.fill(0, lower, upper);
    const hasChecksum = page.readUInt16LE(at.checksum) !== 0;
    if (!hasChecksum) continue;
    const block = file * pagesPerFile + (position + start) / pageSize;
    page.writeUInt16LE(checksumOf(page, block), at.checksum);
  }
}

const prime = 16_777_619;
// As in PostgreSQL's checksum_impl.h.
// biome-ignore format: a table
const offsets = Int32Array.of(
  0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c,
  0xf8d4474f, 0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb,
  0xe58f764b, 0x187636bc, 0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4,
  0x783125bb, 0x6ca8eaa2, 0xe407eac6, 0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
);
const columns = offsets.length;
const words = new Int32Array(pageSize / 4);
const wordBytes = Buffer.from(words.buffer);
const sums = new Int32Array(columns);

/** PostgreSQL's checksum of a page, which also depends on where in its relation the page is. */
export function checksumOf(page: Buffer, block: number): number {
  page.copy(wordBytes);
  wordBytes.writeUInt16LE(0, at.checksum);
  sums.set(offsets);
  for (let word = 0; word < words.length; word += columns) {
    for (let column = 0; column < columns; column++)
      sums[column] = mix(sums[column] as number, words[word + column] as number);
  }
  let result = 0;
  for (let column = 0; column < columns; column++) result ^= mix(mix(sums[column] as number, 0), 0);
  return (((result ^ block) >>> 0) % 65_535) + 1;
}

function mix(sum: number, word: number): number {
  const mixed = sum ^ word;
  return Math.imul(mixed, prime) ^ (mixed >>> 17);
}
