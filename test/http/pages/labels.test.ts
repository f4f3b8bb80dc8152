import { expect, test } from 'vitest';
import { labelOf, labelsOf } from '../../../src/http/pages/panels/charts/labels.ts';
import { tablesOf } from '../../../src/http/pages/panels/charts/table.ts';
import { isMutation } from '../../../src/http/pages/panels/names.ts';

test.each([
  ['withEmail', 'With email'],
  ['count', 'Count'],
  ['by.week.from', 'Week'],
  ['by.agent.name', 'Agent'],
  ['by.agent.id', 'Agent: ID'],
  ['by.hourOfDay', 'Hour of day'],
  ['file.title', 'File'],
  ['name', 'Name'],
  ['totalCount', 'Total count'],
  ['conversations.totalCount', 'Conversations'],
  ['sum.cost', 'Sum of cost'],
  ['p95.replyTime', '95th percentile of reply time'],
  ['previous.avg.replyTime', 'Previous average reply time'],
  ['cumulative.sum.cost', 'Running sum of cost'],
  ['leads.groups', 'Leads: groups'],
  ['costUSD', 'Cost USD'],
  ['week1', 'Week 1'],
  ['last_7d', 'Last 7d'],
  ['__typename', 'Typename'],
  ['_', '_'],
  ['constructor', 'Constructor'],
  ['toString', 'To string'],
  ['__proto__', 'Proto'],
])('%s is said as %s', (path, label) => expect(labelOf(path)).toBe(label));

test.each([
  ['{ agents { totalCount } }', false],
  ['# mutation\n{ mutation: agents { totalCount } }', false],
  ['mutation { a }', true],
  ['fragment F on Lead { id } mutation M { a }', true],
  ['fragment F on Lead { mutation } query M { a }', false],
])('of %s it is known whether it writes', (document, writes) => expect(isMutation(document)).toBe(writes));

test('columns that would be called the same keep their paths', () => {
  expect(labelsOf(['leads', 'leads.totalCount', 'withEmail'])).toEqual(['leads', 'leads.totalCount', 'With email']);
});

test('a column keeps its path as its name, and has its label beside it', () => {
  const [table] = tablesOf({ leads: { groups: [{ by: { week: { from: '2026-09-07T00:00:00Z' } }, withEmail: 2 }] } });
  expect(table?.columns.map(({ name, label }) => [name, label])).toEqual([
    ['by.week.from', 'Week'],
    ['withEmail', 'With email'],
  ]);
});
