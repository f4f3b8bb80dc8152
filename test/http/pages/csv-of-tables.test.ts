import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { csvOf, withoutFormulas } from '../../../src/http/pages/panels/csv.ts';

test('the CSV of any table reads back as it was, but for apostrophes before formulas', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('=1+1', '"', 'a,b', ' x ', '\r\n', '-1', '@x', 'a\n=1'),
    fc.integer(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), (rows) => {
      const columns = [{ name: 'a' }, { name: 'b,"' }];
      const { data } = Papa.parse<string[]>(csvOf({ columns, rows }), { newline: '\r\n' });
      const written = rows.map((row) =>
        row.map((one) => (typeof one === 'string' ? withoutFormulas(one) : String(one ?? ''))),
      );
      expect(data.slice(0, -1)).toEqual([['a', 'b,"'], ...written]);
    }),
  );
});
