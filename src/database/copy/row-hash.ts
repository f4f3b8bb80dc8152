import { hash } from 'node:crypto';
import { grouped } from '../../core/validation.ts';

/** What a table contains: how many rows, and a hash of them that does not depend on their order. */
export type Content = { rows: number; hash: string };

const newline = 0x0a;
const words = 8;
/** The largest row that PostgreSQL reads or writes, in bytes. */
const largestRow = 2 ** 30;

/**
 * Counts and hashes rows in PostgreSQL's COPY text format. The hash is the sum of the SHA-256 of each row's line,
 * without its end, added as eight little-endian 32-bit words: two databases return rows in different orders, and
 * sorting a large table would take longer than copying it.
 */
export class RowHash {
  #rows = 0;
  readonly #sum = new Uint32Array(words);
  /** The beginning of a row whose end has not arrived. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  readonly #maxRowBytes: number;

  constructor(maxRowBytes = largestRow) {
    this.#maxRowBytes = maxRowBytes;
  }

  /** Throws if a row is larger than any can be: an altered backup may have one without an end. */
  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#addRow(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#rest.push(Buffer.from(chunk.subarray(start)));
    this.#restBytes += chunk.length - start;
    if (this.#restBytes > this.#maxRowBytes)
      throw new Error(`A row has more than ${grouped(this.#maxRowBytes)} bytes.`);
  }

  /** Throws if the last row has no end. */
  get content(): Content {
    if (this.#rest.length > 0) throw new Error('The last row is incomplete.');
    return { rows: this.#rows, hash: Buffer.from(this.#sum.buffer).toString('hex') };
  }

  #addRow(end: Buffer): void {
    const row = this.#rest.length === 0 ? end : Buffer.concat([...this.#rest, end]);
    this.#rest = [];
    this.#restBytes = 0;
    const digest: Buffer = hash('sha256', row, 'buffer');
    for (let word = 0; word < words; word++) {
      this.#sum[word] = (this.#sum[word] ?? 0) + digest.readUInt32LE(word * 4);
    }
    this.#rows += 1;
  }
}

/** Passes chunks on, and adds them to `hash`. */
export async function* hashed(chunks: AsyncIterable<Buffer>, hash: RowHash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.add(chunk);
    yield chunk;
  }
}

/** Regroups chunks into blocks of whole rows, of about `bytes` or one row. */
export async function* wholeRows(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    const end = size < bytes ? -1 : chunk.lastIndexOf(newline);
    if (end === -1) continue;
    yield Buffer.concat([...waiting.slice(0, -1), chunk.subarray(0, end + 1)]);
    const rest = Buffer.from(chunk.subarray(end + 1));
    waiting = rest.length > 0 ? [rest] : [];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** Reads chunks to their end, and returns what they contain. */
export async function contentOf(chunks: AsyncIterable<Buffer>): Promise<Content> {
  const hash = new RowHash();
  for await (const chunk of chunks) hash.add(chunk);
  return hash.content;
}

export const isSame = (a: Content | undefined, b: Content): boolean => a?.rows === b.rows && a.hash === b.hash;
