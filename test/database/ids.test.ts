import { expect, test } from 'vitest';
import { kindOfId, newId } from '../../src/database/ids.ts';

test('ids made in one millisecond sort in the order in which they were made', () => {
  const made = Array.from({ length: 5_000 }, () => newId('agent', 1_790_000_000_000));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made.map((id) => id.slice(-13))).size).toBe(made.length);
});

test('an id tells its kind, and sorts after those of earlier milliseconds', () => {
  const early = newId('lead', 1_790_000_000_000);
  expect(kindOfId(early)).toBe('lead');
  expect(newId('lead', 1_790_000_000_001) > early).toBe(true);
  expect(kindOfId(`${early}x`)).toBeNull();
});
