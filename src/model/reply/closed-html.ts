const voids = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'col', 'source', 'area', 'base', 'embed']);
const tags = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gi;

/** Splits streamed HTML at the points where no tag is open, so that each part is final. */
export class ClosedHtml {
  #rest = '';
  /** How far into the rest the tags have been counted. */
  #counted = 0;
  #depth = 0;

  /** Returns the parts that are closed now. */
  push(delta: string): string[] {
    this.#rest += delta;
    // Only ">" can close a tag.
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

  /** Returns the remainder at the end of the input. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return rest;
  }
}
