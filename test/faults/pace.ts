import { setTimeout as sleep } from 'node:timers/promises';
import type { Score } from './score.ts';

type Done = { at: number; ms: number; ok: boolean };

/** Speed is normal when this many writes in a row succeed, within a multiple of their usual time. */
const inRow = 10;
const factor = 4;
/** The allowance for a busy machine, per write. */
const floorMs = 150;
/** How soon the speed must be normal after a fault ends. */
const soonMs = 10_000;

/** When to stop waiting for it. */
const longMs = 60_000;

/** Records how long writes take. */
export class Pace {
  readonly #done: Done[] = [];
  #usualMs: number | null = null;

  add(ms: number, ok: boolean): void {
    this.#done.push({ at: performance.now(), ms, ok });
  }

  /** Takes the speed so far as normal. */
  async settle(writes = 40): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (this.#done.length < writes && performance.now() < deadline) await sleep(20);
    this.#usualMs = median(this.#done.filter(({ ok }) => ok).slice(-writes));
  }

  /** Waits until `count` more writes were refused. Throws if none is for a minute. */
  async refusals(count: number): Promise<void> {
    const before = this.#refused();
    const deadline = performance.now() + longMs;
    while (this.#refused() < before + count) {
      if (performance.now() > deadline) throw new Error('The fault met no write.');
      await sleep(50);
    }
  }

  #refused(): number {
    return this.#done.filter(({ ok }) => !ok).length;
  }

  /** Waits until the speed is normal again after `since`; counts it as wrong if that takes too long. */
  async recover(since: number, score: Score, withinMs = soonMs): Promise<void> {
    const usualMs = this.#usualMs ?? 0;
    const enoughMs = Math.max(floorMs, factor * usualMs);
    for (;;) {
      const at = this.#normalSince(since, enoughMs);
      if (at !== null) {
        score.note(`normal speed after ${((at - since) / 1000).toFixed(1)} s (usual ${Math.round(usualMs)} ms)`);
        if (at - since > withinMs) score.count('wrong', `normal speed took over ${withinMs / 1000} s`);
        return;
      }
      if (performance.now() - since > longMs) return score.count('wrong', `no normal speed after ${longMs / 1000} s`);
      await sleep(50);
    }
  }

  /** Counts as wrong each write sent after `since` that was not acknowledged within `ms`. */
  bound(since: number, ms: number, score: Score): void {
    for (const done of this.#done.filter(({ at, ms }) => at - ms >= since)) {
      if (!done.ok) score.count('wrong', 'a write of another workspace was refused');
      else if (done.ms > ms) score.count('wrong', `a write of another workspace took over ${ms / 1000} s`);
    }
  }

  #normalSince(since: number, enoughMs: number): number | null {
    // Writes sent before the fault ended may still be waiting.
    const later = this.#done.filter(({ at, ms }) => at - ms >= since);
    for (let first = 0; first + inRow <= later.length; first += 1) {
      const row = later.slice(first, first + inRow);
      if (row.every(({ ok }) => ok) && median(row) <= enoughMs) return row[0]?.at ?? null;
    }
    return null;
  }
}

function median(done: Done[]): number {
  const sorted = done.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
