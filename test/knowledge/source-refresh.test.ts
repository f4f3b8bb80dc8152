import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRefreshes } from '../../src/domain/knowledge/source-refresh.ts';
import { expectFailure, openGateway, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { create, faq, html, useKnowledge } from '../support/knowledge/knowledge.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const { home, change, hold, make, page, put, settle, texts, visited } = useKnowledge(gateway, site);

/** A server with ETags, which records the requests. */
let server: Server;
const tagged = { body: html('Tagged.'), etag: '"1"', asked: [] as IncomingHttpHeaders[], sent: [] as number[] };
beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    tagged.asked.push(headers);
    const status = headers['if-none-match'] === tagged.etag ? 304 : 200;
    tagged.sent.push(status);
    response.writeHead(status, { 'content-type': 'text/html', etag: tagged.etag });
    response.end(status === 304 ? undefined : tagged.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  tagged.asked.length = 0;
  tagged.sent.length = 0;
});

const rowOf = (id: string) => gateway.database.source.findFirstOrThrow({ where: { id } });
const idsOf = async (baseId: string) =>
  (await gateway.database.passage.findMany({ where: { baseId } })).map(({ id }) => id).toSorted();
const schedule = (id: string, refreshEvery: string | null) =>
  gateway.graphql(
    home.editor,
    `mutation ($input: ScheduleSourceInput!) { scheduleSource(input: $input) {
      source { refreshEvery nextRefreshAt lastRefreshError file { data } } } }`,
    { input: { id, refreshEvery } },
  );
/** Makes the source due, and runs the refresh. */
async function comeDue(id: string): Promise<void> {
  await gateway.database.source.updateMany({ where: { id }, data: { nextRefreshAt: new Date(0) } });
  await startRefreshes(gateway.services);
}
const daily = { data: { refreshEvery: 'daily' } };
const dayMs = 86_400_000;

describe('a source that is read again by itself', () => {
  test('is what data.refreshEvery says, through REST too, and next in about so long', async () => {
    site.pages.set('/daily', { body: html('One.') });
    const body = { description: 'x', sources: [page('/daily', daily)] };
    const made = await gateway.rest(home.app, 'POST', '/rest/bases', body);
    await settle(made.body.id);
    const { id, refreshEvery, nextRefreshAt } = await gateway.database.source.findFirstOrThrow({
      where: { baseId: made.body.id },
    });
    const inMs = (nextRefreshAt?.getTime() ?? 0) - Date.now();
    expect([refreshEvery, inMs > 0.94 * dayMs, inMs < 1.06 * dayMs]).toEqual(['daily', true, true]);
    const seen = await gateway.rest(home.app, 'GET', `/rest/bases/${made.body.id}`);
    expect(seen.body.sources).toEqual([
      { id, baseId: made.body.id, type: 'page', status: 'succeeded', file: expect.objectContaining(daily) },
    ]);
    site.pages.set('/daily', { body: html('Two.') });
    await comeDue(id);
    await settle(made.body.id);
    expect(await texts(made.body.id)).toEqual(['Two.']);
    expect((await rowOf(id)).nextRefreshAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test('is read once, however many processes look at the same time', async () => {
    site.pages.set('/once', { body: html('Once.') });
    const { id, sources } = await make([page('/once', daily)]);
    await settle(id);
    const before = await rowOf(sources.nodes[0].id);
    await gateway.database.source.updateMany({ where: { id: before.id }, data: { nextRefreshAt: new Date(0) } });
    const replica = await openGateway({}, {}, gateway.handle);
    await Promise.all([gateway, replica, gateway, replica].map(({ services }) => startRefreshes(services)));
    await settle(id);
    expect((await rowOf(before.id)).revision).toBe(before.revision + 1);
    expect(site.visits.get('/once')).toBe(2);
  });

  test('keeps the passages of what has not changed, and does not even fetch what its server says is the same', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { id, sources } = await make([{ type: 'page', file: { url, ...daily } }]);
    await settle(id);
    const kept = await idsOf(id);
    await comeDue(sources.nodes[0].id);
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
    expect([tagged.sent, await idsOf(id)]).toEqual([[200, 304], kept]);
    Object.assign(tagged, { etag: '"2"', body: html('Changed.') });
    await comeDue(sources.nodes[0].id);
    await settle(id);
    expect([tagged.sent.at(-1), await texts(id)]).toEqual([200, ['Changed.']]);
    // A reindex, or another address, sends no validators.
    await change('reindexSource', { id: sources.nodes[0].id });
    await settle(id);
    await change('updateSource', { id: sources.nodes[0].id, file: { url: `${url}other` } });
    await settle(id);
    expect(tagged.asked.slice(-2).map((headers) => headers['if-none-match'])).toEqual([undefined, undefined]);
  });

  test('that cannot be read stays what it was, and tells why and when it is tried again', async () => {
    site.pages.set('/fails', { body: html('There.') });
    const { id, sources } = await make([page('/fails', daily)]);
    await settle(id);
    site.pages.set('/fails', { status: 403 });
    await comeDue(sources.nodes[0].id);
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
    expect(await texts(id)).toEqual(['There.']);
    const query = '{ source(id: "ID") { status reason refreshEvery nextRefreshAt lastRefreshError } }';
    const see = async () => (await gateway.data(home.viewer, query.replace('ID', sources.nodes[0].id))).source;
    const seen = await see();
    expect(seen).toMatchObject({
      status: 'succeeded',
      reason: null,
      refreshEvery: 'daily',
      lastRefreshError: 'The page responded with 403',
    });
    expect(Date.parse(seen.nextRefreshAt)).toBeGreaterThan(Date.now());
    site.pages.set('/fails', { body: html('Again.') });
    await comeDue(sources.nodes[0].id);
    await settle(id);
    expect([await texts(id), (await see()).lastRefreshError]).toEqual([['Again.'], null]);
  });

  test('that has failed before is tried again, and fails again', async () => {
    site.pages.set('/late', { status: 404 });
    const { id, sources } = await make([page('/late', daily)]);
    expect((await settle(id)).status).toBe('failed');
    await comeDue(sources.nodes[0].id);
    expect((await settle(id)).sources.nodes[0]).toMatchObject({
      status: 'failed',
      reason: 'The page responded with 404',
    });
    site.pages.set('/late', { body: html('Late.') });
    await comeDue(sources.nodes[0].id);
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
  });

  test('loses no page of a site below one that cannot be read now', async () => {
    const links = (...paths: string[]) => `<nav>${paths.map((path) => `<a href="${path}">more</a>`).join('')}</nav>`;
    site.pages.set('/wiki/', { body: `${html('Start.')}${links('/wiki/hub', '/wiki/old')}` });
    site.pages.set('/wiki/hub', { body: `${html('Hub.')}${links('/wiki/below')}` });
    site.pages.set('/wiki/below', { body: html('Below.') });
    site.pages.set('/wiki/old', { body: html('Old.') });
    const { id, sources } = await make([{ type: 'site', file: { url: site.url('/wiki/'), ...daily } }]);
    await settle(id);
    const kept = await idsOf(id);
    site.pages.set('/wiki/hub', { status: 403 });
    await comeDue(sources.nodes[0].id);
    await settle(id);
    expect(await idsOf(id)).toEqual(kept);
    site.pages.set('/wiki/hub', { body: `${html('Hub.')}${links('/wiki/below')}` });
    site.pages.set('/wiki/', { body: `${html('Start.')}${links('/wiki/hub')}` });
    await comeDue(sources.nodes[0].id);
    await settle(id);
    expect((await texts(id)).toSorted()).toEqual(['Below.', 'Hub.', 'Start.']);
  });

  test('is not due while it is read, nor once it is written without it', async () => {
    const release = hold('/busy', html('Busy.'));
    const { id, sources } = await make([page('/busy', daily)]);
    await visited('/busy');
    const [{ id: sourceId }] = sources.nodes;
    expect((await rowOf(sourceId)).nextRefreshAt).toBeNull();
    release();
    await settle(id);
    await put(id, [page('/busy')]);
    await settle(id);
    expect(await rowOf(sourceId)).toMatchObject({ refreshEvery: null, nextRefreshAt: null });
  });
});

describe('scheduleSource', () => {
  test('says how often, or no more, and reads nothing now', async () => {
    site.pages.set('/plan', { body: html('Plan.') });
    const { id, sources } = await make([page('/plan')]);
    await settle(id);
    const [{ id: sourceId }] = sources.nodes;
    expect((await schedule(sourceId, 'weekly')).data.scheduleSource.source).toEqual({
      refreshEvery: 'weekly',
      nextRefreshAt: expect.any(String),
      lastRefreshError: null,
      file: { data: { refreshEvery: 'weekly' } },
    });
    expect((await schedule(sourceId, null)).data.scheduleSource.source).toEqual({
      refreshEvery: null,
      nextRefreshAt: null,
      lastRefreshError: null,
      file: { data: null },
    });
    expect(site.visits.get('/plan')).toBe(1);
  });

  test('while the source is read, it counts from when that ends', async () => {
    const release = hold('/soon', html('Soon.'));
    const { id, sources } = await make([page('/soon')]);
    await visited('/soon');
    await schedule(sources.nodes[0].id, 'hourly');
    release();
    await settle(id);
    expect((await rowOf(sources.nodes[0].id)).nextRefreshAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test('is refused for what is not fetched, and for another workspace', async () => {
    const { sources } = await make([faq('a?', 'b')]);
    const answer = await schedule(sources.nodes[0].id, 'daily');
    expectFailure(answer, 'invalid_request', /^refreshEvery: only a source with a url/);
    const other = await makeWorkspace(gateway);
    const mutation = 'mutation ($id: ID!) { scheduleSource(input: { id: $id }) { source { id } } }';
    expectFailure(await gateway.graphql(other.owner, mutation, { id: sources.nodes[0].id }), 'not_found');
  });

  test.each([
    [
      { type: 'page', file: { url: 'https://a.example', data: { refreshEvery: 'often' } } },
      /must be one of hourly, daily/,
    ],
    [
      { type: 'faq', file: { data: { question: 'a', answer: 'b', refreshEvery: 'daily' } } },
      /only a source with a url/,
    ],
    [{ type: 'page', file: { data: { text: 'x', refreshEvery: 'daily' } } }, /only a source with a url/],
  ])('as data.refreshEvery is checked (%#)', async (source, message) => {
    const answer = await gateway.graphql(home.editor, create, { input: { description: 'x', sources: [source] } });
    expectFailure(answer, 'invalid_request', message);
    expect(answer.errors?.[0]?.message).toMatch(/^sources.0.file.data.refreshEvery/);
  });
});
