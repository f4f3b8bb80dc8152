import { expect, test } from 'vitest';
import { maxStaleOf } from '../../src/http/max-stale.ts';

test.each([
  ['max-stale=5', 5_000],
  ['max-stale="5"', 5_000],
  ['max-age=0, Max-Stale=60', 60_000],
  ['max-stale=0', 0],
  ['max-stale=61', 60_000],
  ['max-stale=999999999', 60_000],
  ['max-stale', 60_000],
  ['no-cache, max-stale=5', null],
  ['max-stale=5, no-store', null],
  ['max-stale=-1', null],
  ['max-stale=soon', null],
  ['max-stale=1.5', null],
  ['max-staleness=5', null],
  ['no-cache', null],
  ['', null],
])('Cache-Control: %s allows a response this many milliseconds old: %s', (header, ms) => {
  expect(maxStaleOf(header)).toBe(ms);
});
