/** Of how many characters the pieces are kept apart. */
const kept = 1_000;

/**
 * Text that grows by small pieces, such as the words of a streamed reply. A string that grows by `+=` holds an object
 * for each piece until somebody reads it.
 */
export class GrowingText {
  #whole = '';
  #pieces: string[] = [];
  #apart = 0;

  push(piece: string): void {
    if (!piece) return;
    this.#pieces.push(piece);
    this.#apart += piece.length;
    if (this.#apart >= kept) this.toString();
  }

  toString(): string {
    if (this.#apart > 0) this.#whole += this.#pieces.join('');
    this.#pieces = [];
    this.#apart = 0;
    return this.#whole;
  }
}
