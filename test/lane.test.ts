import pino from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../schema/index.ts';
import { createApp } from '../src/app.ts';
import type { Viewer } from '../src/context.ts';
import { useGateway } from './app.ts';
import { Corpus, type Generated, keepCursors, type Material } from './support/lane-corpus.ts';
import { Random } from './support/lane-random.ts';
import { makeLaneWorld } from './support/lane-world.ts';
import type { World } from './support/world.ts';

const count = Number(process.env.LANE_OPERATIONS ?? 300);
const seed = Number(process.env.LANE_SEED ?? 1);

describe('the lane and the resolvers', () => {
  const gateway = useGateway();
  const random = new Random(seed);
  let worlds: { world: World; material: Material; corpus: Corpus }[];
  let resolvers: ReturnType<typeof createApp>;
  let lane: ReturnType<typeof createApp>;
  let said = '';

  beforeAll(async () => {
    const { services } = gateway;
    const log = pino({ level: 'debug' }, { write: (line: string) => void (line.includes('lane') && (said = line)) });
    lane = createApp({ ...services, log, config: { ...services.config, lane: true } }, async () => true);
    resolvers = createApp({ ...services, config: { ...services.config, lane: false } }, async () => true);
    const make = async () => {
      const { world, material } = await makeLaneWorld(gateway, random);
      return { world, material, corpus: new Corpus(schema, random, material) };
    };
    worlds = [await make(), await make()];
  }, 60_000);

  async function ask(app: { request: typeof gateway.app.request }, viewer: Viewer, { query, variables }: Generated, accept?: string) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${await gateway.bearer(viewer)}`, ...(accept && { accept }) };
    const response = await app.request('/graphql', { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const type = response.headers.get('content-type');
    return { status: response.status, type, body: await response.text(), served: response.headers.has('x-parley-lane') };
  }

  test(`answer ${count} random operations byte for byte the same`, async () => {
    const tally = { served: 0, resolved: 0, failed: 0, rows: 0 };
    for (let index = 0; index < count; index++) {
      const { world, material, corpus } = random.pick(worlds);
      const viewer = world[random.pick(['owner', 'admin', 'editor', 'viewer', 'app'] as const)];
      const operation = corpus.next();
      said = '';
      const short = await ask(lane as never, viewer, operation);
      const long = await ask(resolvers as never, viewer, operation);
      const where = `operation ${index} of seed ${seed}:\n${operation.query}\n${JSON.stringify(operation.variables)}\n${said.slice(0, 2_000)}`;
      if (short.body !== long.body) throw new Error(`${where}
${difference(short.body, long.body)}`);
      expect({ status: short.status, type: short.type }, where).toEqual({ status: long.status, type: long.type });
      const failed = JSON.parse(long.body).errors !== undefined;
      // A silent fallback would pass for a fast answer.
      if (operation.lanes && !failed) expect(short.served, where).toBe(true);
      tally[failed ? 'failed' : short.served ? 'served' : 'resolved'] += 1;
      tally.rows += short.body.length;
      if (!failed) keepCursors(material, operation, JSON.parse(long.body));
    }
    console.log(JSON.stringify(tally));
    expect(tally.served).toBeGreaterThan(count * 0.8);
  }, 1_200_000);
});

/** Where two texts begin to differ. */
function difference(short: string, long: string): string {
  let at = 0;
  while (short[at] === long[at]) at += 1;
  const part = (text: string) => text.slice(Math.max(0, at - 200), at + 300);
  return `lane:      ${part(short)}\nresolvers: ${part(long)}`;
}
