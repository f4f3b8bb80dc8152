import { expect, test } from 'vitest';
import { Lag } from '../../../src/database/standby/standby.ts';

test('a standby is as old as the newest position that it has reached', () => {
  const lag = new Lag();
  lag.wrote(1_000, 10n);
  lag.wrote(2_000, 20n);
  lag.wrote(3_000, 30n);
  expect(lag.ageMs(3_100)).toBe(null);
  lag.replayed(25n);
  expect(lag.ageMs(3_100)).toBe(1_100);
  lag.replayed(25n);
  expect(lag.ageMs(4_000)).toBe(2_000);
  lag.replayed(30n);
  expect(lag.ageMs(4_000)).toBe(1_000);
});

test('a standby of a primary that writes nothing stays fresh', () => {
  const lag = new Lag();
  lag.wrote(1_000, 10n);
  lag.replayed(10n);
  lag.wrote(9_000, 10n);
  lag.replayed(10n);
  expect(lag.ageMs(9_200)).toBe(200);
});

test('a standby that is hours behind has a known age, and takes little memory', () => {
  const lag = new Lag();
  for (let second = 0; second < 20_000; second++) lag.wrote(second * 1_000, BigInt(second));
  lag.replayed(5_000n);
  const ageMs = lag.ageMs(20_000_000) ?? 0;
  expect(ageMs).toBeGreaterThanOrEqual(15_000_000);
  expect(ageMs).toBeLessThan(15_100_000);
});

test('nothing is known of a standby that follows another server', () => {
  const lag = new Lag();
  lag.wrote(1_000, 10n);
  lag.replayed(10n);
  lag.forget();
  expect(lag.ageMs(1_001)).toBe(null);
});
