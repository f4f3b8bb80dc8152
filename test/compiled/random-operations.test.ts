import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import type { Material } from '../support/compiled/arguments.ts';
import { type Answer, BothWays, difference } from '../support/compiled/both-ways.ts';
import { Corpus, type Generated } from '../support/compiled/corpus.ts';
import { keepCursors } from '../support/compiled/cursors.ts';
import { Tally } from '../support/compiled/tally.ts';
import { makeRandomWorld } from '../support/compiled/world.ts';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { Random } from '../support/random/random.ts';
import type { World } from '../support/world/world.ts';

/** `npm run test:compiled` sets 5,000; COMPILED_SEED sets another seed. */
const count = Number(process.env.COMPILED_OPERATIONS ?? casesOf(200));
const seed = Number(process.env.COMPILED_SEED ?? 1);

/** Arguments with which an otherwise compiled operation is left to the resolvers. */
const leftToResolvers = /grouped many times|a search that ranks|an order by a key/;

describe('compiled queries and resolvers', () => {
  const gateway = useGateway();
  const random = new Random(seed);
  let worlds: { world: World; material: Material; corpus: Corpus }[];
  let bothWays: BothWays;

  beforeAll(async () => {
    bothWays = new BothWays(gateway);
    const make = async () => {
      const { world, material } = await makeRandomWorld(gateway, random);
      return { world, material, corpus: new Corpus(schema, random, material) };
    };
    worlds = [await make(), await make()];
    const [one, other] = worlds.map(({ material }) => material) as [Material, Material];
    const some = ({ ids }: Material) => Object.values(ids).flatMap((known) => known.slice(0, 2));
    one.strangers = [...one.strangers, ...some(other)];
    other.strangers = [...other.strangers, ...some(one)];
  });

  test(`answer ${count} random operations byte for byte the same`, async () => {
    const tally = new Tally();
    for (let index = 0; index < count; index++) {
      const { world, material, corpus } = random.pick(worlds);
      const viewer = world[random.pick(['owner', 'admin', 'editor', 'viewer', 'app'] as const)];
      const operation = corpus.next();
      const { compiled, resolvers } = await bothWays.ask(viewer, operation);
      const where = () => `operation ${index} of seed ${seed}: ${told(operation)}\n${bothWays.said}`;
      if (ordered(compiled, compiled.served) !== ordered(resolvers, compiled.served))
        throw new Error(`${where()}\n${difference(compiled.body, resolvers.body)}`);
      if (compiled.status !== resolvers.status)
        throw new Error(`${where()}\n${compiled.status}, not ${resolvers.status}`);
      const answer = JSON.parse(resolvers.body);
      // A silent fallback to the resolvers would look like equality.
      const isLeft = leftToResolvers.test(bothWays.said);
      if (operation.isCompiled && !answer.errors && !compiled.served && !isLeft)
        throw new Error(`${where()}\nwas not served by a compiled query`);
      tally.add(compiled.served, answer.errors !== undefined, bothWays.said);
      if (!answer.errors) keepCursors(material, operation, answer);
    }
    process.stdout.write(`${tally.told(seed)}\n`);
    // Many operations fail because of random roles, ids and arguments; of a small number of them, perhaps two thirds,
    // as the ids that there are fall.
    expect(tally.failed).toBeLessThan(count * (count < 100 ? 0.8 : 0.45));
    expect(tally.served).toBeGreaterThan(count * 0.7);
  }, 3_600_000);
});

/**
 * A body for comparison. Which of several fields fails first is random: their errors are sorted, and if the resolvers
 * wrote them both times, only their subjects count.
 */
function ordered({ body }: Answer, served: boolean): string {
  const { errors, data } = JSON.parse(body) as { errors?: { extensions: { code: string } }[]; data: unknown };
  if (!errors || (served && errors.length === 1)) return body;
  const told = errors.map((error) => (served ? JSON.stringify(error) : error.extensions.code));
  return JSON.stringify([data, [...new Set(told)].toSorted()]);
}

const told = ({ query, variables }: Generated) => `${query}\n${JSON.stringify(variables)}`;
