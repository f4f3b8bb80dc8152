import type { Score } from './score.ts';
import type { House } from './types.ts';
import type { Kind } from './writes.ts';

type Entry = { kind: Kind; acknowledged: boolean };

/** The test's own record of every attempted write, and whether it was acknowledged. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  #count = 0;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** The mark of a new write. */
  enter(kind: Kind): string {
    this.#count += 1;
    const mark = `mark-${this.#name}-${this.#count}`;
    this.#entries.set(mark, { kind, acknowledged: false });
    return mark;
  }

  acknowledge(mark: string): void {
    const entry = this.#entries.get(mark);
    if (entry) entry.acknowledged = true;
  }

  get acknowledged(): number {
    return [...this.#entries.values()].filter(({ acknowledged }) => acknowledged).length;
  }

  /** Reads everything back: each acknowledged write must exist, and none twice. */
  async compare(url: string, house: House, score: Score): Promise<void> {
    const kinds = new Set([...this.#entries.values()].map(({ kind }) => kind));
    const found = new Map<Kind, Map<string, number>>();
    for (const kind of kinds) found.set(kind, await kind.read(url, house));
    for (const [mark, { kind, acknowledged }] of this.#entries) {
      const times = found.get(kind)?.get(mark) ?? 0;
      if (acknowledged && times === 0) score.count('lost', `${kind.name}: acknowledged, and not there`);
      if (times > 1) score.count('doubled', `${kind.name}: there ${times} times`);
    }
  }
}
