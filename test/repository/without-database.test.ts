import { expect, test } from 'vitest';
import { comparingBothWays, withoutDatabase } from '../support/repository/without-database.ts';

test('tests that use the database are run on each, by whichever import they reach it', () => {
  const once = withoutDatabase();
  // Of these, the first says so itself; the others import it, at one and at two removes, or within a function.
  for (const name of [
    'backup/move.system',
    'database/database',
    'workspace/usage-history',
    'knowledge/source-progress',
  ])
    expect(once).not.toContain(`test/${name}.test.ts`);
  for (const name of ['config/config', 'model/restricted/restricted', 'database/standby/promotion.system'])
    expect(once).toContain(`test/${name}.test.ts`);
});

test('without compiled queries, tests that compare them with resolvers themselves are not run again', () => {
  const compared = comparingBothWays();
  expect(compared).toContain('test/graphql/empty-pages.test.ts');
  for (const name of ['leads/leads', 'rest/fuzz']) expect(compared).not.toContain(`test/${name}.test.ts`);
});
