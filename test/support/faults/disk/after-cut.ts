import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './log.ts';

type Write = Extract<Entry, { kind: 'write' | 'truncate' }>;
type Naming = Extract<Entry, { kind: 'create' | 'rename' | 'remove' }>;
type Numbered<T> = { at: number; entry: T };

/** Decides how much of the unsynced data a disk has kept. */
export type CutOutcome = {
  name: string;
  /** What is kept of a write: nothing, all, or some sectors. `isLog`: a write to PostgreSQL's write-ahead log. */
  keeps(isLog: boolean): 'all' | 'none' | 'torn';
  /** How many of `count` renames are kept; a disk keeps them in order. */
  names(count: number): number;
  /** Whether a torn write keeps this sector. */
  keepsSector(): boolean;
};

const sectorSize = 512;

/** A folder as it is on disk. Replays a log, and can show at any point what a power cut would leave. */
export class Disk {
  readonly #content = new Map<number, Buffer>();
  readonly #children = new Map<number, Map<string, number>>([[0, new Map()]]);
  readonly #isLog = new Set<number>();
  readonly #pending = new Map<number, Numbered<Write>[]>();
  #naming: Numbered<Naming>[] = [];

  follow(entry: Entry, at: number): void {
    if (entry.kind === 'write' || entry.kind === 'truncate') {
      const pending = this.#pending.get(entry.item) ?? [];
      this.#pending.set(entry.item, [...pending, { at, entry }]);
    } else if (entry.kind === 'sync') this.#sync(entry.item, entry.begun);
    else if (entry.kind !== 'mark') {
      if (entry.kind === 'create' && !entry.isFolder) this.#content.set(entry.item, Buffer.alloc(0));
      if (entry.kind === 'create' && entry.isFolder) this.#children.set(entry.item, new Map());
      if (entry.kind === 'create' && /^[\dA-F]{24}$|^xlogtemp/.test(entry.name)) this.#isLog.add(entry.item);
      this.#naming.push({ at, entry });
    }
  }

  /** Writes what a power cut now would leave into an empty folder. */
  leave(folder: string, outcome: CutOutcome): void {
    const children = new Map([...this.#children].map(([item, names]) => [item, new Map(names)]));
    for (const { entry } of this.#naming.slice(0, outcome.names(this.#naming.length))) rename(children, entry);
    this.#leaveFolder(0, folder, children, outcome);
  }

  #leaveFolder(item: number, folder: string, children: Map<number, Map<string, number>>, outcome: CutOutcome): void {
    for (const [name, child] of children.get(item) ?? []) {
      const path = join(folder, name);
      if (children.has(child)) {
        mkdirSync(path, { mode: 0o700 });
        this.#leaveFolder(child, path, children, outcome);
      } else writeFileSync(path, this.#contentAfterCut(child, outcome), { mode: 0o600 });
    }
  }

  #contentAfterCut(item: number, outcome: CutOutcome): Buffer {
    let content: Buffer = Buffer.from(this.#content.get(item) ?? []);
    for (const { entry } of this.#pending.get(item) ?? []) {
      const kept = outcome.keeps(this.#isLog.has(item));
      if (kept !== 'none') content = apply(content, entry, kept === 'torn' ? outcome.keepsSector : () => true);
    }
    return content;
  }

  #sync(item: number, begun: number): void {
    const pending = this.#pending.get(item) ?? [];
    for (const { at, entry } of pending) {
      if (at < begun)
        this.#content.set(
          item,
          apply(this.#content.get(item) ?? Buffer.alloc(0), entry, () => true),
        );
    }
    this.#pending.set(
      item,
      pending.filter(({ at }) => at >= begun),
    );
    if (!this.#children.has(item)) return;
    // Names in other folders may not be on disk.
    const synced = ({ at, entry }: Numbered<Naming>) =>
      at < begun && (entry.folder === item || ('newFolder' in entry && entry.newFolder === item));
    for (const naming of this.#naming) if (synced(naming)) rename(this.#children, naming.entry);
    this.#naming = this.#naming.filter((naming) => !synced(naming));
  }
}

function rename(children: Map<number, Map<string, number>>, entry: Naming): void {
  const names = children.get(entry.folder);
  if (entry.kind === 'create') names?.set(entry.name, entry.item);
  if (entry.kind === 'remove') names?.delete(entry.name);
  if (entry.kind !== 'rename') return;
  const item = names?.get(entry.name);
  names?.delete(entry.name);
  if (item !== undefined) children.get(entry.newFolder)?.set(entry.newName, item);
}

/** Changes the content in place, or returns a longer one. */
function apply(content: Buffer, entry: Write, keeps: () => boolean): Buffer {
  if (entry.kind === 'truncate') return resized(content, entry.size);
  const { position, bytes } = entry;
  const result = resized(content, Math.max(content.length, position + bytes.length));
  for (let from = 0; from < bytes.length; ) {
    const size = Math.min(sectorSize - ((position + from) % sectorSize), bytes.length - from);
    if (keeps()) bytes.copy(result, position + from, from, from + size);
    from += size;
  }
  return result;
}

function resized(content: Buffer, size: number): Buffer {
  if (size === content.length) return content;
  const result = Buffer.alloc(size);
  content.copy(result);
  return result;
}
