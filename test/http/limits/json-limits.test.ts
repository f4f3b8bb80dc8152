import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findUnstorable } from '../../../src/core/json-limits.ts';

/** A JSON body with a given leaf or key somewhere in it. */
const around = (leaf: unknown): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constant(leaf),
      fc.tuple(fc.array(fc.jsonValue()), tie('value'), fc.array(fc.jsonValue())).map(([a, b, c]) => [...a, b, ...c]),
      fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue()), tie('value')).map(([rest, value]) => ({
        ...rest,
        here: value,
      })),
    ),
  })).value;

test.each([
  ['a NUL', 'x\0y', 'contains a NUL character'],
  ['half of a pair', 'x\ud800', 'contains an unpaired surrogate'],
  ['an infinite number', Infinity, 'is a number too large'],
  ['a NUL in a key', { 'x\0': 1 }, 'contains a NUL character'],
  ['the key __proto__', JSON.parse('{"__proto__": 1}'), 'is __proto__, which is not allowed'],
])('%s is found wherever it stands', (_name, leaf, told) => {
  fc.assert(
    fc.property(around(leaf), (value) => {
      expect(findUnstorable(value).join()).toContain(told);
    }),
  );
});

test('what can be stored is not named', () => {
  const sound = fc.jsonValue().filter((value) => !/\\u0000|\\ud[89a-f]|__proto__/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(sound, (value) => {
      expect(findUnstorable(value)).toEqual([]);
    }),
  );
});

test('what nests deeper than a body may is named', () => {
  let value: unknown = 'x';
  for (let level = 0; level < 102; level++) value = { a: value };
  expect(findUnstorable(value).join()).toContain('nests deeper than 100 levels');
});
