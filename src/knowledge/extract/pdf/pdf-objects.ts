import { inflateSync } from 'node:zlib';

/** The most that a stream may unpack to. */
const maxBytes = 50_000_000;

/**
 * The objects of a PDF, found by their headings, for what pdf.js does not tell of a page. An encrypted file has none;
 * streams in another filter than Flate are not read.
 */
export class PdfObjects {
  readonly #file: string;
  readonly #offsets = new Map<number, number>();
  #packed: Map<number, string> | null = null;

  constructor(bytes: Uint8Array) {
    this.#file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (/\/Encrypt\b/.test(this.#file)) return;
    // A later one with the same number replaces it.
    for (const { index, 1: number } of this.#file.matchAll(/\b(\d{1,10})\s+\d{1,5}\s+obj\b/g))
      this.#offsets.set(Number(number), index);
  }

  /** The streams that draw a page, given the number of its object; null if one of them cannot be read. */
  contentsOf(page: number): string | null {
    const [, array, single] = /\/Contents\s*(?:\[([^\]]*)\]|(\d+)\s+\d+\s+R)/.exec(this.#textOf(page)) ?? [];
    const list = array ?? (single && /^\s*\[([^\]]*)\]/.exec(this.#textOf(Number(single)))?.[1]);
    const numbers = list
      ? [...list.matchAll(/(\d+)\s+\d+\s+R/g)].map(([, number]) => Number(number))
      : [Number(single)];
    const streams = numbers.map((number) => this.#streamOf(number));
    return streams.includes(null) ? null : streams.join('\n');
  }

  /** The text of an object, up to its stream if it has one; empty if there is no such object. */
  #textOf(number: number): string {
    const offset = this.#offsets.get(number);
    if (offset === undefined) return this.#unpacked().get(number) ?? '';
    const end = /\bendobj\b|\bstream\r?\n/g;
    end.lastIndex = offset;
    const body = this.#file.indexOf('obj', offset) + 3;
    return this.#file.slice(body, end.exec(this.#file)?.index ?? body);
  }

  #streamOf(number: number): string | null {
    const offset = this.#offsets.get(number);
    const dictionary = this.#textOf(number);
    const filter = /\/Filter\s*\[?\s*(\/\w+)\s*([^\]/>]*)/.exec(dictionary)?.[1];
    if (offset === undefined || (filter && filter !== '/FlateDecode') || /\/Predictor\s+(?!1\b)/.test(dictionary))
      return null;
    const body = this.#file.indexOf('obj', offset) + 3 + dictionary.length;
    const [heading] = /^stream\r?\n/.exec(this.#file.slice(body, body + 10)) ?? [];
    if (!heading) return null;
    const [, length, isReference] = /\/Length\s+(\d+)(\s+\d+\s+R)?/.exec(dictionary) ?? [];
    const size = Number(isReference ? this.#textOf(Number(length)) : length);
    const start = body + heading.length;
    const end = Number.isInteger(size) && size > 0 ? start + size : this.#file.indexOf('endstream', start);
    const data = Buffer.from(this.#file.slice(start, end), 'latin1');
    if (!filter) return data.toString('latin1');
    try {
      return inflateSync(data, { maxOutputLength: maxBytes }).toString('latin1');
    } catch {
      return null;
    }
  }

  /** The objects that stand in streams of objects. */
  #unpacked(): Map<number, string> {
    if (this.#packed) return this.#packed;
    this.#packed = new Map();
    for (const number of this.#offsets.keys()) {
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
