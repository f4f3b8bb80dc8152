const voids = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'col', 'source', 'area', 'base', 'embed']);
const tags = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gi;

/** Reads HTML while it is written, and hands out the parts of it that end where no tag is open: what follows changes none. */
export class ClosedHtml {
  #rest = '';
  /** Up to where in the rest tags were counted. */
  #counted = 0;
  #depth = 0;

  /** The parts that are closed now. */
  push(delta: string): string[] {
    this.#rest += delta;
    // A tag cannot end before it.
    const end = delta.includes('>') ? this.#rest.lastIndexOf('>') + 1 : 0;
    if (end === 0) return [];
    const parts: string[] = [];
    let start = 0;
    for (const { 0: tag, 1: closing, 2: name = '', index } of this.#rest.slice(this.#counted, end).matchAll(tags)) {
      if (voids.has(name.toLowerCase()) || tag.endsWith('/>')) continue;
      this.#depth = Math.max(0, this.#depth + (closing ? -1 : 1));
      if (this.#depth > 0) continue;
      const until = this.#counted + index + tag.length;
      parts.push(this.#rest.slice(start, until));
      start = until;
    }
    this.#rest = this.#rest.slice(start);
    this.#counted = end - start;
    return parts;
  }

  /** What is left when nothing follows. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest;
  }
}
