/** The counts during and after a fault. */
export class Score {
  tried = 0;
  lost = 0;
  doubled = 0;
  wrong = 0;
  readonly notes: string[] = [];
  readonly #reasons = new Map<string, number>();

  /** The report lists each `reason` once. */
  count(what: 'lost' | 'doubled' | 'wrong', reason: string): void {
    this[what] += 1;
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  get isClean(): boolean {
    return this.tried > 0 && this.lost + this.doubled + this.wrong === 0;
  }

  /** The most frequent reasons, in descending order. */
  reasons(most = 6): string[] {
    const sorted = [...this.#reasons].toSorted(([, a], [, b]) => b - a);
    return sorted.slice(0, most).map(([reason, times]) => (times > 1 ? `${reason} (${times} times)` : reason));
  }
}
