import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { schema } from '../../../schema/index.ts';
import { telemetry } from '../../../src/core/telemetry.ts';
import { openDatabase } from '../../../src/database/client.ts';
import { migrate } from '../../../src/database/migrate.ts';
import type { Standby } from '../../../src/database/standby/standby.ts';
import type { Material } from '../../support/compiled/arguments.ts';
import { type Answer, BothWays } from '../../support/compiled/both-ways.ts';
import { Corpus, type Generated } from '../../support/compiled/corpus.ts';
import { makeRandomWorld } from '../../support/compiled/world.ts';
import { catchUp, noStandby, openPair, type Pair } from '../../support/database/standby.ts';
import { type Gateway, openGateway } from '../../support/gateway/app.ts';
import { Random } from '../../support/random/random.ts';
import type { World } from '../../support/world/world.ts';

const count = 80;

describe.skipIf(noStandby)('a standby that has caught up', () => {
  let pair: Pair;
  let gateway: Gateway;
  let world: World;
  let material: Material;
  const random = new Random(Number(process.env.COMPILED_SEED ?? 1));

  beforeAll(async () => {
    pair = await openPair();
    const standby = { url: pair.standby.url('parley') };
    const handle = await openDatabase({ databaseUrl: pair.primary.url('parley'), standby, dataDir: '' });
    await migrate(handle);
    gateway = await openGateway({}, {}, handle);
    ({ world, material } = await makeRandomWorld(gateway, random));
    await catchUp(pair, handle);
  }, 300_000);
  afterAll(async () => {
    await gateway?.close();
    await pair?.close();
  });

  test(`answers ${count} random queries as the primary does, compiled or not, and none fails there`, async () => {
    const bothWays = new BothWays(gateway);
    const corpus = new Corpus(schema, random, material);
    const outcomes: string[] = [];
    let reads = 0;
    const end = telemetry.staleRead.subscribe(({ outcome }) => outcomes.push(outcome));
    for (let index = 0; index < count; index++) {
      const { query, variables } = corpus.next();
      const viewer = world[random.pick(['owner', 'admin', 'editor', 'viewer', 'app'] as const)];
      const ask = (by: 'compiled' | 'resolvers', headers = {}) => {
        const body = JSON.stringify({ query, variables });
        return bothWays.send(by, viewer, '/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        });
      };
      const primary = shown(await ask('resolvers'));
      const stale = { 'cache-control': 'max-stale=3600' };
      for (const by of ['compiled', 'resolvers'] as const) {
        outcomes.length = 0;
        const answer = await ask(by, stale);
        const told = () => `${by}, ${query}\n${JSON.stringify(variables)}`;
        expect(shown(answer), told()).toEqual(primary);
        reads += outcomes.length;
        expect(
          outcomes.filter((outcome) => outcome !== 'standby'),
          told(),
        ).toEqual([]);
      }
    }
    end();
    expect(reads).toBeGreaterThan(count);
  }, 300_000);

  test('answers nothing once its data may be more than a minute old, whatever a request accepts', async () => {
    const ageMs = vi.spyOn(gateway.handle.standby as Standby, 'ageMs', 'get');
    onTestFinished(() => ageMs.mockRestore());
    const ageOf = async (path: string, accepted: string) =>
      (await gateway.rest(world.owner, 'GET', path, undefined, { 'cache-control': accepted })).headers.get('age');
    for (const path of ['/rest/fields', `/graphql?query=${encodeURIComponent('{ fields { nodes { id } } }')}`])
      for (const accepted of ['max-stale', 'max-stale=61', 'max-stale=999999999']) {
        ageMs.mockReturnValue(60_001);
        expect({ path, accepted, age: await ageOf(path, accepted) }).toEqual({ path, accepted, age: null });
        ageMs.mockReturnValue(60_000);
        expect({ path, accepted, age: await ageOf(path, accepted) }).toEqual({ path, accepted, age: '60' });
      }
  });
});

/** The data, and the codes of the errors: which of several fields fails first is random. */
function shown({ body }: Answer): Partial<Record<'data' | 'codes', unknown>> {
  const { errors = [], data } = JSON.parse(body) as { errors?: { extensions: { code: string } }[]; data?: Generated };
  return { data, codes: [...new Set(errors.map(({ extensions }) => extensions.code))].toSorted() };
}
