import type { Material } from './arguments.ts';
import type { Generated } from './corpus.ts';

/** Keeps the cursors of an answer for later operations. */
export function keepCursors({ cursors }: Material, { lists }: Generated, value: unknown, list = ''): void {
  if (typeof value === 'string' && value.startsWith('Wy') && list !== '') {
    cursors.set(list, [...(cursors.get(list) ?? []), value].slice(-50));
  }
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value))
    keepCursors({ cursors } as Material, { lists } as Generated, item, lists.get(key) ?? list);
}
