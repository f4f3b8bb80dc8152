import { beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { BothWays } from '../support/compiled/both-ways.ts';
import { makeRandomWorld } from '../support/compiled/world.ts';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { Random } from '../support/random/random.ts';
import type { World } from '../support/world/world.ts';

/** COMPILED_SEED sets another seed. */
const seed = Number(process.env.COMPILED_SEED ?? 1);
/** Requests per route. */
const rounds = Math.ceil(Number(process.env.COMPILED_OPERATIONS ?? casesOf(200)) / 10);

/** Values of a query parameter, in every form that a URL allows. */
const odd = [
  '0 1 2 01 1e1 +1 -1 1.5 %31 100 101 1001 2147483648 99999999999999999999',
  `a a+b a%2Bb a%20b %25 % %% %5 ' %22 %5C _ %00 %01 %0A %ff %ED%A0%80 %F0%9F%98%80 %C3%A7 %EF%BB%BF ç 💥`,
  'null true [] {} a=b a;b a,b WyJhIiwxLCJiIl0 __proto__ zq agent alpha / 2024-02-30/.. 0000-01-01/..',
  `2020-01-01 2020-01-01/.. ../2020-01-01 2020-01-01/2030-01-01 ${'x'.repeat(500)} ${'x'.repeat(501)}`,
].flatMap((line) => ['', ...line.split(' ')]);
/** Valid paging parameters. */
const plain: Record<string, string[]> = {
  page: ['1', '2', '3'],
  size: ['1', '5', '100'],
  limit: ['1', '5'],
  search: ['a+b', 'zq', '%C3%A7', '%25', 'a', '%F0%9F%98%80', ''],
  createdAt: ['2020-01-01/..', '../2025-01-01', '2024-01-01/2025-06-30'],
};
/** Odd path segments. */
const oddParts = ['', 'x', '0', 'a%20b', 'a.b', 'ç', '%00', '%2F', '%ff', '..', 'agt_00000000000000000000000000'];

const gateway = useGateway();
const random = new Random(seed);
let bothWays: BothWays;
let worlds: World[];

beforeAll(async () => {
  bothWays = new BothWays(gateway);
  worlds = [(await makeRandomWorld(gateway, random)).world, (await makeRandomWorld(gateway, random)).world];
});

test.each(routes.filter(({ method }) => method === 'get'))(
  '$id answers random addresses the same with compiled queries and without',
  async ({ path, query }) => {
    let served = 0;
    for (let round = 0; round < rounds; round++) {
      const world = random.pick(worlds);
      const viewer = world[random.pick(['owner', 'admin', 'editor', 'viewer', 'app'] as const)];
      const ids = random.chance(0.1) ? random.pick(worlds).ids : world.ids;
      const address =
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => partOf(path, name, ids)) + search(query?.shape, ids);
      const { compiled, resolvers } = await bothWays.request(viewer, address, { headers: headers() });
      const length = compiled.headers['content-length'];
      if (length !== undefined) expect(length).toBe(String(Buffer.byteLength(compiled.body)));
      expect({ ...compiled, served: false }, address).toEqual(resolvers);
      if (compiled.served) served += 1;
    }
    process.stdout.write(`${path} ${served} of ${rounds} served\n`);
  },
);

/** The id in a path; usually of an existing row. */
function partOf(path: string, name: string, ids: World['ids']): string {
  const kind = name === 'id' ? `${/\/(\w+?)s?\/\{id\}/.exec(path)?.[1]}Id` : name;
  const known = (ids as Record<string, string>)[kind] ?? 'prompt';
  return random.chance(0.8) ? known : random.pick(oddParts);
}

function search(shape: object | undefined, ids: World['ids']): string {
  const names = [
    ...Object.keys(shape ?? {}),
    ...(random.chance(0.1) ? ['other', 'page', 'size', '', '__proto__'] : []),
  ];
  if (names.length === 0) return random.pick(['', '', '?', '?&']);
  const parts = random.some(names, 0.4).map((name) => {
    const known = (ids as Record<string, string>)[name];
    const value = random.chance(0.8) ? (known ?? random.pick(plain[name] ?? odd)) : random.pick(odd);
    return random.chance(0.03) ? name : `${name}=${value}`;
  });
  if (random.chance(0.05)) parts.push(random.pick(parts));
  return `?${parts.join('&')}`;
}

const headers = (): Record<string, string> =>
  random.chance(0.1) ? { prefer: random.pick(['handling=strict', 'handling=lenient', 'return=minimal']) } : {};
