import { describe, expect, test } from 'vitest';
import { alertKey, isConditionMet, nextState } from '../../src/domain/dashboards/alerts.ts';

const rule = { column: null, rows: 'any', above: null, below: null, noData: false, forMinutes: 0 } as const;

describe('a condition', () => {
  test.each([
    [{ above: 5 }, [1, 6], true],
    [{ above: 5, rows: 'last' }, [6, 1], false],
    [{ above: 5 }, [5], false],
    [{ below: 2 }, [3, 1], true],
    [{ below: 2 }, [null], false],
    [{ below: 2, noData: true }, [null], true],
    [{ below: 2, above: 5, rows: 'last' }, [3, 6], true],
    [{ noData: true }, [], true],
    [{ noData: true, rows: 'last' }, [1, null], true],
    [{ noData: true }, [0], false],
  ] as const)('%j of %j: %s', (given, numbers, expected) => {
    expect(isConditionMet({ ...rule, ...given }, numbers)).toBe(expected);
  });

  test('begins anew after it did not hold', () => {
    const at = (minute: number) => new Date(minute * 60_000);
    const given = { ...rule, above: 1, forMinutes: 5 };
    let now: Parameters<typeof nextState>[0] = { state: 'quiet', since: null };
    const seen = [true, true, false, true, true, true, false].map((is, at_) => {
      now = nextState(now, is, given, at(at_ * 3));
      return now.state;
    });
    expect(seen).toEqual(['pending', 'pending', 'quiet', 'pending', 'pending', 'started', 'quiet']);
  });

  test('has the same key however the database orders its names', () => {
    const alert = { ...rule, above: 1 };
    const reordered = Object.fromEntries(Object.entries(alert).toReversed()) as typeof alert;
    const tile = { operation: 'a', variables: { b: 1, a: [{ d: 1, c: 2 }] }, chart: null };
    const same = { ...tile, variables: { a: [{ c: 2, d: 1 }], b: 1 } };
    expect(alertKey({ ...tile, alert })).toBe(alertKey({ ...same, alert: reordered }));
    expect(alertKey({ ...tile, alert })).not.toBe(alertKey({ ...tile, alert: { ...alert, above: 2 } }));
  });
});
