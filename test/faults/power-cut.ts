import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedSync, openEmbedded } from '../../src/database/pglite/embedded.ts';
import { readTemplate } from '../../src/database/pglite/template.ts';
import type { Pool } from '../../src/database/pool.ts';
import { type CutOutcome, Disk } from '../support/faults/disk/after-cut.ts';
import { cutOutcomes } from '../support/faults/disk/cut-outcomes.ts';
import type { DiskLog, Entry } from '../support/faults/disk/log.ts';
import { record } from '../support/faults/disk/record.ts';
import { judge, prepare, work } from './power-cut-work.ts';

/** New databases begin as those of the gateway do. */
const template = () => readTemplate('empty');

/**
 * What came of some power cuts. `lost`: of those with acknowledged writes that are gone. `wrong`: of those not to be
 * opened or with data that never was.
 */
export type Outcome = { promise: string; tried: number; lost: number; doubled: number; wrong: number; told: string[] };

/**
 * Writes to a database, and returns the log of all changes to its files: from its first start on, or
 * since it was reopened.
 */
export async function recordWork(sync: EmbeddedSync, steps: number, isFirst = false): Promise<DiskLog> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-cut-'));
  try {
    if (!isFirst) await use(dataDir, sync, prepare);
    const recording = record(dataDir);
    try {
      recording.mark('begun');
      await use(dataDir, sync, async (pool) => {
        if (isFirst) await prepare(pool);
        await work(pool, recording, steps);
      });
    } finally {
      recording.stop();
    }
    return recording.log;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Like `recordWork`, of a database that starts on what a killed process left: names on disk, but no content. The mark
 * `opened` is where it has started.
 */
export async function recordRestart(sync: EmbeddedSync, steps: number): Promise<DiskLog> {
  const [dataDir, left] = [mkdtempSync(join(tmpdir(), 'parley-cut-')), mkdtempSync(join(tmpdir(), 'parley-cut-'))];
  try {
    await use(dataDir, sync, async (pool) => {
      await prepare(pool);
      await work(pool, { mark: () => {}, synced: async () => {} }, steps);
      cpSync(dataDir, left, { recursive: true });
    });
    const recording = record(left);
    try {
      const { log } = recording;
      const folders = new Set(log.flatMap((entry) => (entry.kind === 'create' && entry.isFolder ? [entry.item] : [0])));
      log.splice(0, log.length, ...log.filter((entry) => entry.kind !== 'sync' || folders.has(entry.item)));
      recording.mark('begun');
      await use(left, sync, async (pool) => {
        for (const word of ['sent', 'acknowledged', 'due']) recording.mark(`${word} ${steps}`);
        recording.mark('opened');
        await work(pool, recording, 2 * steps, steps);
      });
      return log;
    } finally {
      recording.stop();
    }
  } finally {
    for (const folder of [dataDir, left]) rmSync(folder, { recursive: true, force: true });
  }
}

async function use(dataDir: string, sync: EmbeddedSync, work: (pool: Pool) => Promise<void>): Promise<void> {
  const { pool, close } = await openEmbedded({ dataDir, sync, template });
  await work(pool);
  await close();
}

export type Cut = { after: number; luck: CutOutcome };

/** Positions in a log at which to cut the power: some random, some around checkpoints. */
export function cutsOf(log: DiskLog, count: number, random: () => number): Cut[] {
  const places = [...log.keys()].slice(log.findIndex(({ kind }) => kind === 'mark'));
  const controls = new Set(itemsOf(log, isControl));
  const checkpoints = places.filter((at) => isWriteTo(log[at], controls));
  const pick = (from: number[]) => from[Math.floor(random() * from.length)] ?? 0;
  return Array.from({ length: count }, (_, index) => {
    const offered = cutOutcomes(random);
    const after = index % 3 === 2 ? pick(checkpoints) + Math.floor(random() * 4) - 1 : pick(places);
    return { after, luck: offered[index % offered.length] as CutOutcome };
  });
}

const isWriteTo = (entry: Entry | undefined, items: Set<number>) => entry?.kind === 'write' && items.has(entry.item);

export const isLog = (name: string): boolean => /^(?:[\dA-F]{24}|xlogtemp.*)$/.test(name);
export const isControl = (name: string): boolean => name === 'pg_control';

/** The files created under a matching name. */
export function itemsOf(log: DiskLog, matches: (name: string) => boolean): number[] {
  return log.flatMap((entry) => (entry.kind === 'create' && matches(entry.name) ? [entry.item] : []));
}

/** The log of a disk that never synced the matching files, by default all of them. */
export function withoutSync(log: DiskLog, matches: (name: string) => boolean = () => true): DiskLog {
  const items = new Set(itemsOf(log, matches));
  const begin = log.findIndex(({ kind }) => kind === 'mark');
  // Replaced by a mark, so that the other entries keep their numbers.
  return log.map((entry, at) =>
    at > begin && entry.kind === 'sync' && items.has(entry.item) ? { kind: 'mark', text: 'not synced' } : entry,
  );
}

/** Cuts the power at these positions, and opens what is left. */
export async function cutPower(log: DiskLog, sync: EmbeddedSync, cuts: Cut[]): Promise<Outcome> {
  const promise = sync === 'commit' ? 'every acknowledged write' : 'every acknowledged write that a sync has followed';
  const outcome: Outcome = { promise, tried: 0, lost: 0, doubled: 0, wrong: 0, told: [] };
  const disk = new Disk();
  let at = 0;
  for (const cut of cuts.toSorted((one, other) => one.after - other.after)) {
    for (; at < cut.after; at++) disk.follow(log[at] as Entry, at);
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-cut-'));
    try {
      disk.leave(dataDir, cut.luck);
      const found = await open(dataDir);
      const kept = promised(log, cut.after, sync === 'commit' ? 'acknowledged' : 'due');
      outcome.tried += 1;
      if (typeof found === 'string') outcome[/twice/.test(found) ? 'doubled' : 'wrong'] += 1;
      else if (found < kept) outcome.lost += 1;
      else if (found > promised(log, cut.after, 'sent')) outcome.wrong += 1;
      else continue;
      outcome.told.push(`after ${cut.after} (${cut.luck.name}): ${found}, promised ${kept}`);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
  return outcome;
}

/** Returns how many steps a database holds, or what is wrong with it. */
async function open(dataDir: string): Promise<number | string> {
  const failed = Promise.withResolvers<string>();
  // A database that was damaged may also fail when it writes.
  const onFailure = (cause: unknown) => failed.resolve(`cannot be written: ${String(cause)}`);
  return Promise.race([failed.promise, read(dataDir, onFailure)]);
}

async function read(dataDir: string, onFailure: (cause: unknown) => void): Promise<number | string> {
  try {
    const { pool, close } = await openEmbedded({ dataDir, onFailure, template });
    const found = await judge(pool).catch((error: Error) => `cannot be read: ${error.message}`);
    await close();
    return found;
  } catch (error) {
    return `cannot be opened: ${(error as Error).message}`;
  }
}

/** The last step marked with `word` before a position in the log. */
function promised(log: DiskLog, before: number, word: string): number {
  for (let at = before - 1; at >= 0; at--) {
    const entry = log[at];
    if (entry?.kind === 'mark' && entry.text.startsWith(`${word} `)) return Number(entry.text.slice(word.length));
  }
  return 0;
}
