import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { purgeAllStale } from '../../src/search/drafts.ts';
import { endAtRandom, type KillWorld, openKillWorld } from '../support/faults/kill-world.ts';
import { type GatewayProcess, ownerToken } from '../support/gateway/gateway-process.ts';
import { randomOf } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';
import { expectExactIndex } from '../support/search/exact-index.ts';

/** How many gateways to kill; `npm run test:kills:sources` sets more. */
const kills = Number(process.env.KILLS ?? 2);
const pagesOfSite = 7;
const pdf = readFileSync(new URL('../files/handbook.pdf', import.meta.url)).toString('base64');

let server: Server;
let world: KillWorld;
let headers: Record<string, string>;

beforeAll(async () => {
  server = createServer(({ url = '/' }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const body = pageAt(url);
    response.writeHead(body ? 200 : 404).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world = await openKillWorld({ FETCH_ALLOW_HOSTS: hostOf(), CRAWL_DELAY_MS: '0' });
});
afterAll(async () => {
  await world.close();
  server.closeAllConnections();
  server.close();
});

const hostOf = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const said = (url: string) => `The words of ${url.replaceAll('/', ' ').trim()} stand here and nowhere else.`;

/** `/page/12` is a page, `/site/3/` the start of a site that links to its other pages. */
function pageAt(url: string): string | null {
  if (!/^\/(page\/|site\/)/.test(url)) return null;
  const links = /^\/site\/[^/]+\/$/.test(url)
    ? Array.from({ length: pagesOfSite - 1 }, (_, index) => `<a href="${url}p${index}">more</a>`).join(' ')
    : '';
  return `<html><head><title>Page</title></head><body><main><h1>Page</h1><p>${said(url)}</p></main><nav>${links}</nav></body></html>`;
}

type Kind = 'site' | 'page' | 'file' | 'faq';
/** A source and its version; each version has other words. */
type Put = { kind: Kind; mark: string; version: number; removed: boolean };
type Base = { description: string; id: string | null; puts: Put[] };

const address = ({ kind, mark, version }: Put) => `/${kind}/${mark}v${version}${kind === 'site' ? '/' : ''}`;

/** The REST body of a source. All versions share a key. */
function sourceOf(put: Put): object {
  const { kind, mark, version } = put;
  const pair = (index: number) => ({
    question: `Which one is ${mark}, ${index}?`,
    answer: said(`${mark} ${index} v${version}`),
  });
  const file = {
    site: { url: `http://${hostOf()}${address(put)}` },
    page: { url: `http://${hostOf()}${address(put)}` },
    file: { data: { base64: pdf, version } },
    faq: { data: { items: [0, 1, 2].map(pair) } },
  }[kind];
  return { type: kind, file: { ...file, key: mark, title: mark } };
}

let textsOfPdf: string[] = [];
/** The texts by which a source can be found once it is read. */
function textsOf(put: Put): string[] {
  const { kind, mark, version } = put;
  if (kind === 'file') return textsOfPdf;
  if (kind === 'faq') return [0, 1, 2].map((index) => said(`${mark} ${index} v${version}`));
  const start = address(put);
  return kind === 'page'
    ? [start].map(said)
    : [start, ...Array.from({ length: pagesOfSite - 1 }, (_, index) => `${start}p${index}`)].map(said);
}

async function ask<Answer>(gateway: GatewayProcess, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer;
  if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
const mutate = (gateway: GatewayProcess, name: string, id: string) =>
  ask(gateway, 'POST', '/graphql', {
    query: `mutation ($id: ID!) { ${name}(input: { id: $id }) { clientMutationId } }`,
    variables: { id },
  });

const makeBase = async (gateway: GatewayProcess, base: Base) => {
  const body = { description: base.description, sources: base.puts.map(sourceOf) };
  base.id = (await ask<{ id: string }>(gateway, 'POST', '/rest/bases', body)).id;
};
const putBase = (gateway: GatewayProcess, { id, description, puts }: Base) =>
  ask(gateway, 'PUT', `/rest/bases/${id}`, {
    description,
    sources: puts.filter(({ removed }) => !removed).map(sourceOf),
  });

type RestBase = { sources: { id: string; file: { key: string } }[] };

/** A random idempotent change to an existing base. */
function changeOf(random: () => number, base: Base): (gateway: GatewayProcess) => Promise<unknown> {
  const put = base.puts[Math.floor(random() * base.puts.length)] as Put;
  const which = Math.floor(random() * 4);
  const source = async (gateway: GatewayProcess) => {
    const { sources } = await ask<RestBase>(gateway, 'GET', `/rest/bases/${base.id}`);
    return sources.find(({ file }) => file.key === put.mark)?.id;
  };
  if (which === 0 && base.puts.filter(({ removed }) => !removed).length > 1) {
    put.removed = true;
    return async (gateway) => mutate(gateway, 'deleteSource', (await source(gateway)) ?? 'src_none');
  }
  if (which === 1 && !put.removed) {
    put.version += 1;
    return (gateway) => putBase(gateway, base);
  }
  if (which === 2) return (gateway) => mutate(gateway, 'reindexBase', base.id as string);
  return async (gateway) => mutate(gateway, 'retrySource', (await source(gateway)) ?? 'src_none');
}

/** Runs `work` on a gateway that may die; false if the outcome is unknown. */
const attempt = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => true,
    () => false,
  );

const settleMs = 300_000;

/** The answer to a query of sources. */
type Sources<Node> = {
  data: {
    sources: { totalCount: number; nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  };
};

/** Waits until every source is read. */
async function settle(gateway: GatewayProcess): Promise<void> {
  const deadline = Date.now() + settleMs;
  const query = '{ sources(filter: { status: [in_progress] }) { totalCount nodes { id type attempts done total } } }';
  for (;;) {
    const { sources } = (await ask<Sources<object>>(gateway, 'POST', '/graphql', { query })).data;
    if (sources.totalCount === 0) return;
    if (Date.now() > deadline) throw new Error(`Sources are stuck: ${JSON.stringify(sources)}`);
    await sleep(100);
  }
}

/**
 * Among hundreds of kills, ten may hit the same source or page. The gateway then blames it, and gives up
 * until it is retried.
 */
async function retryUnlucky(gateway: GatewayProcess): Promise<void> {
  const query = `query ($after: String) {
    sources(first: 50, after: $after) {
      nodes { id reason pages(first: 10, filter: { status: [failed] }) { nodes { reason } } }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  type Unlucky = { id: string; reason: string | null; pages: { nodes: { reason: string | null }[] } };
  for (let after: string | null = null, more = true; more; ) {
    const { data }: Sources<Unlucky> = await ask(gateway, 'POST', '/graphql', { query, variables: { after } });
    for (const { id, reason, pages } of data.sources.nodes) {
      const reasons = [reason, ...pages.nodes.map((page) => page.reason)];
      if (reasons.includes('It was interrupted 10 times')) await mutate(gateway, 'retrySource', id);
    }
    ({ endCursor: after, hasNextPage: more } = data.sources.pageInfo);
  }
  await settle(gateway);
}

/** Ages all running jobs by a minute. */
const age = ({ pool }: DatabaseHandle) =>
  pool.query(`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'`).catch(() => {});

test(
  `gateways that are killed while they read sources, ${kills} of them, leave no source in progress, no passage twice and none missing`,
  async () => {
    const random = randomOf(seed);
    let victim = await world.start();
    headers = { authorization: `Bearer ${await ownerToken(world.env)}`, 'content-type': 'application/json' };
    const opening: Base = { description: 'Opening', id: null, puts: kindsOf().map((kind) => newPut(kind, 'opening')) };
    await makeBase(victim, opening);
    await settle(victim);
    textsOfPdf = await pdfOf(victim);
    const bases = [opening];

    for (let round = 0; round < kills; round++) {
      const next = world.starting();
      const kinds = kindsOf()
        .toSorted(() => random() - 0.5)
        .slice(0, 2);
      const base: Base = {
        description: `Round ${round}`,
        id: null,
        puts: kinds.map((kind) => newPut(kind, `r${round}`)),
      };
      const known = bases.filter(({ id }) => id);
      const change = changeOf(random, known[Math.floor(random() * known.length)] as Base);
      const done = { made: false, changed: false };
      const work = async () => {
        [done.made, done.changed] = await Promise.all([
          attempt(() => makeBase(victim, base)),
          attempt(() => change(victim)),
        ]);
        // Wait a little, so that most kills hit the reading.
        await Promise.race([victim.exited, sleep(random() * 1_500)]);
      };
      await endAtRandom(victim, random, work, { statements: 260, ms: 1_500 });
      if (world.handle) await age(world.handle);
      victim = (await next) ?? (await world.start());
      if (!done.changed) await change(victim);
      bases.push(base);
    }

    await settle(victim);
    await retryUnlucky(victim);
    await victim.kill('SIGTERM');
    await world.withDatabase(async (database) => {
      // The next start removes what the last killed gateways left behind.
      await purgeAllStale(database.client);
      await expectWhole(database, bases);
      await expectExactIndex(database);
      if (process.env.KILLS) await tell(database);
    });
  },
  120_000 + kills * 60_000,
);

const kindsOf = (): Kind[] => ['site', 'page', 'file', 'faq'];
const newPut = (kind: Kind, name: string): Put => ({ kind, mark: `${name}${kind}`, version: 0, removed: false });

/** The passages of the PDF without any kill. */
async function pdfOf(gateway: GatewayProcess): Promise<string[]> {
  const query = '{ sources(filter: { type: [file] }, first: 1) { nodes { passages(first: 100) { nodes { text } } } } }';
  type WithPassages = { passages: { nodes: { text: string }[] } };
  const { data } = await ask<Sources<WithPassages>>(gateway, 'POST', '/graphql', { query });
  return data.sources.nodes[0]?.passages.nodes.map(({ text }) => text) ?? [];
}

/** Every source is finished, with each passage once; removed sources have none. */
async function expectWhole({ client }: DatabaseHandle, bases: Base[]): Promise<void> {
  expect(await client.source.count({ where: { status: 'in_progress' } })).toBe(0);
  expect(await client.base.count({ where: { status: 'in_progress' } })).toBe(0);
  for (const { id, description, puts } of bases) {
    const rows = await client.base.findMany({
      where: { description },
      include: { sources: { include: { passages: true, pages: true } } },
    });
    // A source whose creation was never acknowledged may exist or not.
    if (id === null && rows.length === 0) continue;
    expect(rows.map((row) => row.id)).toEqual([id ?? expect.any(String)]);
    const [base] = rows;
    const kept = puts.filter(({ removed }) => !removed);
    const expected = kept.map((put) => ({
      key: put.mark,
      status: 'succeeded',
      reason: null,
      texts: textsOf(put).toSorted(),
    }));
    const seen = base?.sources.map(({ key, status, reason, passages }) => ({
      key,
      status,
      reason,
      texts: passages.map(({ text }) => text).toSorted(),
    }));
    expect(seen?.toSorted(byKey)).toEqual(expected.toSorted(byKey));
    expect([base?.status, base?.records]).toEqual(['succeeded', expected.flatMap(({ texts }) => texts).length]);
    const pages = base?.sources.flatMap((source) => source.pages) ?? [];
    expect(pages.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  }
}

const byKey = (a: { key: string | null }, b: { key: string | null }) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1);

async function tell({ client, kind }: DatabaseHandle): Promise<void> {
  const [sources, again, passages] = await Promise.all([
    client.source.count(),
    client.source.count({ where: { attempts: { gt: 1 } } }),
    client.passage.count(),
  ]);
  process.stdout.write(
    `${kills} kills on ${kind}: ${sources} sources, ${again} of them read more than once, ${passages} passages\n`,
  );
}
