import { isLog } from '../../../faults/power-cut.ts';
import type { DiskLog } from './log.ts';

const isTable = (name: string) => /^\d+(?:\.\d+)?$/.test(name);

/** Positions where a table page was overwritten before PostgreSQL's log was on disk. */
export function pagesBeforeLog(log: DiskLog): number[] {
  const names = new Map<number, string>();
  const sizes = new Map<number, number>();
  const unsynced = new Map<number, number>();
  const places: number[] = [];
  for (const [at, entry] of log.entries()) {
    if (entry.kind === 'create') names.set(entry.item, entry.name);
    if (entry.kind === 'truncate') sizes.set(entry.item, entry.size);
    if (entry.kind === 'sync' && (unsynced.get(entry.item) ?? at) < entry.begun) unsynced.delete(entry.item);
    if (entry.kind !== 'write') continue;
    const size = sizes.get(entry.item) ?? 0;
    const name = names.get(entry.item) ?? '';
    sizes.set(entry.item, Math.max(size, entry.position + entry.bytes.length));
    if (isLog(name)) unsynced.set(entry.item, at);
    else if (isTable(name) && entry.position < size && unsynced.size > 0) places.push(at);
  }
  return places;
}
