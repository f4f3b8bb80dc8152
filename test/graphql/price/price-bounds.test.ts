import { complexityFromQuery } from '@pothos/plugin-complexity';
import { parse } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../../schema/index.ts';
import { unknownRows } from '../../../src/database/query/estimates.ts';
import { roughPrice } from '../../../src/graphql/price/index.ts';
import type { Material } from '../../support/compiled/arguments.ts';
import { Corpus } from '../../support/compiled/corpus.ts';
import { makeRandomWorld } from '../../support/compiled/world.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { Random } from '../../support/random/random.ts';
import type { World } from '../../support/world/world.ts';

const gateway = useGateway();
const random = new Random(7);
let world: World;
let material: Material;
beforeAll(async () => {
  ({ world, material } = await makeRandomWorld(gateway, random));
});

test('what is known of no rows costs no more than its fields times the pages, and what is known never more than that', async () => {
  const corpus = new Corpus(schema, random, material);
  let priced = 0;
  for (let index = 0; index < 400; index += 1) {
    const { query, variables } = corpus.next();
    if (/fill/.test(query)) continue;
    const document = parse(query);
    const cost = (estimates: typeof unknownRows) =>
      roughPrice({
        schema,
        document,
        variableValues: variables,
        contextValue: { ...gateway.services, viewer: world.owner, estimates },
      });
    const unknown = cost(unknownRows);
    // Documents that cannot be executed have no price.
    if (!unknown || document.definitions.filter(({ kind }) => kind === 'OperationDefinition').length > 1) continue;
    const { complexity } = complexityFromQuery(document, { schema, variables: { ...variables }, ctx: {} });
    expect(unknown.cost, query).toBeLessThanOrEqual(complexity);
    const known = cost({ ...unknownRows, cached: () => 3 });
    const read = known?.reads.reduce((sum, { cost: of }) => sum + of, 0) ?? 0;
    expect(known?.cost, query).toBeLessThanOrEqual(unknown.cost + read + 1);
    priced += 1;
  }
  expect(priced).toBeGreaterThan(200);
});
