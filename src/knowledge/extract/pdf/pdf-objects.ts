import { inflateSync } from 'node:zlib';

/** The most that the streams of a file are read and unpacked to, together. */
const maxBytes = 100_000_000;

/**
 * The objects of a PDF, found by their headings, for what pdf.js does not tell of a page. An encrypted file has none;
 * streams in another filter than Flate are not read.
 */
export class PdfObjects {
  readonly #file: string;
  /** Where an object begins, and where the next one does. */
  readonly #positions = new Map<number, { from: number; to: number }>();
  #left = maxBytes;
  #packed: Map<number, string> | null = null;

  constructor(bytes: Uint8Array) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (/\/Encrypt\b/.test(this.#file)) return;
    let before: { from: number; to: number } | undefined;
    // A later one with the same number replaces it.
    for (const { index, 1: number } of this.#file.matchAll(/\b(\d{1,10})\s+\d{1,5}\s+obj\b/g)) {
      if (before) before.to = index;
      before = { from: index, to: this.#file.length };
      this.#positions.set(Number(number), before);
    }
  }

  /** The streams that draw a page, given the number of its object; null if one of them cannot be read. */
  contentsOf(page: number): string | null {
    const [, array, single] = /\/Contents\s*(?:\[([^\]/]*)\]|(\d+)\s+\d+\s+R)/.exec(this.#textOf(page)) ?? [];
    const list = array ?? (single && /^\s*\[([^\]]*)\]/.exec(this.#textOf(Number(single)))?.[1]);
    const numbers = list
      ? [...list.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number))
      : [Number(single)];
    const streams = numbers.map((number) => this.#streamOf(number));
    return streams.includes(null) ? null : streams.join('\n');
  }

  /** The text of an object, up to its stream if it has one; empty if there is no such object. */
  #textOf(number: number): string {
    const position = this.#positions.get(number);
    if (!position) return this.#unpacked().get(number) ?? '';
    const text = this.#file.slice(this.#file.indexOf('obj', position.from) + 3, position.to);
    return text.slice(0, Math.max(0, text.search(/\bendobj\b|\bstream\r?\n/)));
  }

  #streamOf(number: number): string | null {
    const position = this.#positions.get(number);
    const dictionary = this.#textOf(number);
    const filter = /\/Filter[\s[]*(\/\w+)/.exec(dictionary)?.[1];
    if (!position || (filter && filter !== '/FlateDecode') || /\/Predictor\s+(?!1\b)/.test(dictionary)) return null;
    const body = this.#file.indexOf('obj', position.from) + 3 + dictionary.length;
    const [heading] = /^stream\r?\n/.exec(this.#file.slice(body, body + 10)) ?? [];
    if (!heading) return null;
    const [, length, isReference] = /\/Length\s+(\d+)(\s+\d+\s+R)?/.exec(dictionary) ?? [];
    const size = Number(isReference ? this.#textOf(Number(length)) : length);
    const start = body + heading.length;
    const isSized = Number.isInteger(size) && size > 0;
    const [text = ''] = isSized
      ? [this.#file.slice(start, start + size)]
      : untilEnd(this.#file.slice(start, position.to));
    this.#left -= text.length;
    if (this.#left <= 0) return null;
    if (!filter) return text;
    try {
      const data = inflateSync(Buffer.from(text, 'latin1'), { maxOutputLength: this.#left });
      this.#left -= data.length;
      return data.toString('latin1');
    } catch {
      // What fails may have unpacked all that is left.
      this.#left -= text.length * 10;
      return null;
    }
  }

  /** The objects that stand in streams of objects. */
  #unpacked(): Map<number, string> {
    if (this.#packed) return this.#packed;
    this.#packed = new Map();
    for (const number of this.#positions.keys()) {
      const dictionary = this.#textOf(number);
      const stream = /\/Type\s*\/ObjStm\b/.test(dictionary) ? this.#streamOf(number) : null;
      if (stream === null) continue;
      const first = Number(/\/First\s+(\d+)/.exec(dictionary)?.[1]);
      const heads = (stream.slice(0, first).match(/\d+/g) ?? []).map(Number);
      for (let at = 0; at + 1 < heads.length; at += 2)
        this.#packed.set(
          heads[at] ?? 0,
          stream.slice(first + (heads[at + 1] ?? 0), first + (heads[at + 3] ?? stream.length)),
        );
    }
    return this.#packed;
  }
}

const untilEnd = (text: string): string[] => text.split('endstream', 1);
