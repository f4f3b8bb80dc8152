import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rowOf } from '../../src/database/query/json-rows.ts';

const folder = path.join(import.meta.dirname, '../../prisma/schema');
const columns = readdirSync(folder).flatMap((file) =>
  readFileSync(path.join(folder, file), 'utf8')
    .matchAll(/^ {2}(\w+)\s+(String|Boolean|Int|BigInt|Float|DateTime|Json|Bytes)\b/gm)
    .map(([, name = '', type = '']) => ({ name, type }))
    .toArray(),
);

test('a row that is read as JSON has moments where Prisma has them, whatever the table', () => {
  expect(columns.length).toBeGreaterThan(300);
  const time = '2026-01-02T03:04:05.678+00:00';
  for (const { name, type } of columns) {
    const value = rowOf<Record<string, unknown>>({ [name]: time })[name];
    expect({ name, isMoment: value instanceof Date }).toEqual({ name, isMoment: type === 'DateTime' });
  }
  expect(rowOf({ endedAt: null, createdAt: time })).toEqual({ endedAt: null, createdAt: new Date(time) });
});
