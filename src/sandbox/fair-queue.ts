/** What waits for its turn. `isUrgent`: somebody waits for the answer, so it goes before the rest of its workspace. */
export type Waiting = { workspaceId: string; isUrgent: boolean };

/** Of so many workspaces it is known when they had their turn. */
const remembered = 1_000;

/**
 * Serves workspaces in turn, whatever the number of things that each of them waits for; within one, the urgent come first
 * and the rest in their order.
 */
export class FairQueue<Item extends Waiting> {
  readonly #lines = new Map<string, Item[]>();
  /** Whoever had a turn, the last one at the end. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  add(item: Item): void {
    const line = this.#lines.get(item.workspaceId) ?? [];
    this.#lines.set(item.workspaceId, line);
    const firstUsual = line.findIndex(({ isUrgent }) => !isUrgent);
    if (item.isUrgent && firstUsual >= 0) line.splice(firstUsual, 0, item);
    else line.push(item);
  }

  /** Whether it was there. */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.workspaceId);
    const at = line?.indexOf(item) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    if (!line.length) this.#lines.delete(item.workspaceId);
    return true;
  }

  /** What the workspace whose turn it is waits for, among those that keep the first rule, else the second; it stays. */
  find(...rules: ((first: Item) => boolean)[]): Item | undefined {
    const turnOf = ({ workspaceId }: Item) => this.#served.get(workspaceId) ?? 0;
    const firsts = [...this.#lines.values()].flatMap((line) => line[0] ?? []).sort((a, b) => turnOf(a) - turnOf(b));
    for (const rule of rules) {
      const found = firsts.find(rule);
      if (found) return found;
    }
    return undefined;
  }

  /** Takes what `find` found: its workspace had its turn. */
  take(item: Item): void {
    this.remove(item);
    this.#served.delete(item.workspaceId);
    this.#served.set(item.workspaceId, ++this.#turns);
    const [oldest] = this.#served.keys();
    if (this.#served.size > remembered && oldest !== undefined) this.#served.delete(oldest);
  }
}
