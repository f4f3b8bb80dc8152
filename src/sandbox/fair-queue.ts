/** A queued item. `isUrgent`: a caller is waiting for the result, so it goes ahead of the rest of its workspace. */
export type Waiting = { workspaceId: string; isUrgent: boolean };

/** For how many workspaces the queue remembers when they were last served. */
const remembered = 1_000;

/**
 * Serves workspaces round-robin, however many items each of them has queued; within a workspace, urgent items come
 * first and the rest in order.
 */
export class FairQueue<Item extends Waiting> {
  readonly #lines = new Map<string, Item[]>();
  /** Workspaces already served, the most recent last. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  add(item: Item): void {
    const line = this.#lines.get(item.workspaceId) ?? [];
    this.#lines.set(item.workspaceId, line);
    const firstUsual = line.findIndex(({ isUrgent }) => !isUrgent);
    if (item.isUrgent && firstUsual >= 0) line.splice(firstUsual, 0, item);
    else line.push(item);
  }

  /** Returns whether the item was queued. */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.workspaceId);
    const at = line?.indexOf(item) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    if (!line.length) this.#lines.delete(item.workspaceId);
    return true;
  }

  /**
   * Returns, without removing it, the first item of the workspace that has waited longest, among those that satisfy the
   * first rule or, failing that, the next.
   */
  find(...rules: ((first: Item) => boolean)[]): Item | undefined {
    const turnOf = ({ workspaceId }: Item) => this.#served.get(workspaceId) ?? 0;
    const firsts = [...this.#lines.values()].flatMap((line) => line[0] ?? []).sort((a, b) => turnOf(a) - turnOf(b));
    for (const rule of rules) {
      const found = firsts.find(rule);
      if (found) return found;
    }
    return undefined;
  }

  /** Removes an item returned by `find`, and counts it as its workspace's turn. */
  take(item: Item): void {
    this.remove(item);
    this.#served.delete(item.workspaceId);
    this.#served.set(item.workspaceId, ++this.#turns);
    const [oldest] = this.#served.keys();
    if (this.#served.size > remembered && oldest !== undefined) this.#served.delete(oldest);
  }
}
