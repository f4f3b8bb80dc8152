import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Viewer } from '../../src/core/viewer.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { type Gateway, openGateway, useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';
import { faq, html, useKnowledge } from '../support/knowledge/knowledge.ts';
import { drawnPdf } from '../support/knowledge/pdf-files.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const site = useSite();
const { home, change, hold, make, page, put, settle, see, visited, passagesOf } = useKnowledge(gateway, site);

const streams: { leave(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.leave()));
});

const ofSource = `subscription ($id: ID!) { sourceProgress(sourceId: $id) {
  id status reason done total pages(first: 20) { nodes { status reason } } } }`;
const ofBase = 'subscription ($id: ID!) { baseProgress(baseId: $id) { id status } }';

/** Subscribes to a source or a base, and collects its events. */
async function follow(document: string, id: string, viewer: Viewer = home.viewer, at: Gateway = gateway) {
  const response = await at.app.request('/graphql', {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${await gateway.bearer(viewer)}`,
    },
    body: JSON.stringify({ query: document, variables: { id } }),
  });
  const events = readEvents(response);
  const told = async () => {
    const event = await events.next();
    return event && Object.values(event.data.data)[0];
  };
  const stream = {
    told: told as () => Promise<any>,
    failure: async () => (await events.rest())[0]?.data.errors[0].extensions.code,
    async rest(): Promise<any[]> {
      const all = [];
      for (let next = await told(); next !== undefined; next = await told()) all.push(next);
      return all;
    },
    leave: () => events.leave(),
  };
  streams.push(stream);
  return stream;
}

describe('a source that is followed', () => {
  test('is told as it is, on each change, and no more when it is read', async () => {
    const release = hold('/slow', html('Slow.'));
    const { sources } = await make([page('/slow')]);
    const [{ id }] = sources.nodes;
    await visited('/slow');
    const stream = await follow(ofSource, id);
    expect(await stream.told()).toMatchObject({ id, status: 'in_progress' });
    release();
    expect((await stream.rest()).at(-1)).toMatchObject({ id, status: 'succeeded', reason: null });
  });

  test('tells why it failed', async () => {
    site.pages.set('/never', { status: 404 });
    const { sources } = await make([page('/never')]);
    const told = await (await follow(ofSource, sources.nodes[0].id)).rest();
    expect(told.at(-1)).toMatchObject({ status: 'failed', reason: 'The page responded with 404' });
  });

  test('tells of a site what came of each page', async () => {
    const release = hold('/tour/two', html('Two.'));
    site.pages.set('/tour/', { body: `${html('One.')}<a href="/tour/two">two</a><a href="/tour/gone">gone</a>` });
    const { sources } = await make([{ type: 'site', file: { url: site.url('/tour/') } }]);
    await visited('/tour/two');
    const stream = await follow(ofSource, sources.nodes[0].id);
    expect(await stream.told()).toMatchObject({ status: 'in_progress', total: 3 });
    release();
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ status: 'succeeded', done: 3, total: 3 });
    expect(last.pages.nodes.map(({ status }: { status: string }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'failed',
    ]);
  });

  test('has read all pages of a PDF once it has succeeded, though progress is told at most once a second', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    site.pages.set('/slow.pdf', {
      body: drawnPdf([{ x: 50, y: 700, text: 'Slow.' }]),
      type: 'application/pdf',
      until: promise,
    });
    const { sources } = await make([{ type: 'file', file: { url: site.url('/slow.pdf') } }]);
    const [{ id }] = sources.nodes;
    await visited('/slow.pdf');
    const stream = await follow(ofSource, id);
    await sleep(1_100);
    resolve();
    expect((await stream.rest()).at(-1)).toMatchObject({ status: 'succeeded', done: 1, total: 1 });
  });

  test('is told on another replica than the one that reads it', async () => {
    const replica = await openGateway({}, { secrets: gateway.services.secrets }, gateway.handle);
    const release = hold('/far', html('Far.'));
    const { sources } = await make([page('/far')]);
    await visited('/far');
    const stream = await follow(ofSource, sources.nodes[0].id, home.viewer, replica);
    expect(await stream.told()).toMatchObject({ status: 'in_progress' });
    release();
    expect((await stream.rest()).at(-1)).toMatchObject({ status: 'succeeded' });
  });

  test('that was read already is told once', async () => {
    const { id, sources } = await make([faq('a?', 'b')]);
    await settle(id);
    const told = await (await follow(ofSource, sources.nodes[0].id)).rest();
    expect(told).toEqual([expect.objectContaining({ status: 'succeeded' })]);
  });

  test('that is removed is told as null, and the stream ends', async () => {
    const release = hold('/removed', html('Removed.'));
    const { sources } = await make([page('/removed')]);
    const [{ id }] = sources.nodes;
    await visited('/removed');
    const stream = await follow(ofSource, id);
    expect(await stream.told()).toMatchObject({ status: 'in_progress' });
    await change('deleteSource', { id });
    expect((await stream.rest()).at(-1)).toBeNull();
    release();
  });

  test('can be left at any time, also while nothing changes', async () => {
    const release = hold('/quiet', html('Quiet.'));
    const { id, sources } = await make([page('/quiet')]);
    await visited('/quiet');
    const stream = await follow(ofSource, sources.nodes[0].id);
    expect(await stream.told()).toMatchObject({ status: 'in_progress' });
    await stream.leave();
    release();
    await settle(id);
  });

  test('is not told of once the gateway is leaving: another one is asked', async () => {
    const leaving = await openGateway({}, { secrets: gateway.services.secrets }, gateway.handle);
    const release = hold('/left', html('Left.'));
    const { id, sources } = await make([page('/left')]);
    await visited('/left');
    const stream = await follow(ofSource, sources.nodes[0].id, home.viewer, leaving);
    expect(await stream.told()).toMatchObject({ status: 'in_progress' });
    leaving.services.sourceWatch.close();
    expect((await stream.rest()).filter(({ status }) => status !== 'in_progress')).toEqual([]);
    release();
    await settle(id);
  });
});

describe('a base that is followed', () => {
  test('tells each of its sources, and ends when all are read', async () => {
    const release = hold('/one', html('One.'));
    const { id, sources } = await make([page('/one'), faq('a?', 'b')]);
    const stream = await follow(ofBase, id);
    const first = [await stream.told(), await stream.told()];
    const ids = sources.nodes.map((source: { id: string }) => source.id);
    expect(first.map((source) => source.id)).toEqual(ids);
    release();
    const last = new Map([...first, ...(await stream.rest())].map((source) => [source.id, source.status]));
    expect([...last]).toEqual(ids.map((source: string) => [source, 'succeeded']));
  });

  test('many listeners cost one look, and none when nobody listens', async () => {
    const release = hold('/shared', html('Shared.'));
    const { id } = await make([page('/shared')]);
    await visited('/shared');
    const listeners = await Promise.all(Array.from({ length: 20 }, () => follow(ofBase, id)));
    await Promise.all(listeners.map((stream) => stream.told()));
    const { statementsOf } = await import('../support/database/database.ts');
    const began = performance.now();
    const looks = await statementsOf(async () => {
      release();
      await Promise.all(listeners.map((stream) => stream.rest()));
    });
    const asked = looks.statements.filter((text) => text.includes('"underWay"'));
    // At most one read per half second, however many listeners there are.
    expect(asked.length).toBeLessThanOrEqual(2 + (performance.now() - began) / 500);
  });

  test('is of the workspace of who asks', async () => {
    const other = await makeWorkspace(gateway);
    const { id, sources } = await make([faq('a?', 'b')]);
    expect(await (await follow(ofBase, id, other.owner)).failure()).toBe('not_found');
    expect(await (await follow(ofSource, sources.nodes[0].id, other.owner)).failure()).toBe('not_found');
  });
});

describe('reading as if it were new', () => {
  const reindex = (id: string) =>
    gateway.data(home.editor, 'mutation ($id: ID!) { reindexBase(input: { id: $id }) { base { status } } }', { id });

  test('reindexSource indexes what has not changed; retrySource does not', async () => {
    const { id, sources } = await make([faq('When do you open?', 'At nine.')]);
    await settle(id);
    const ids = async () => (await gateway.database.passage.findMany({ where: { baseId: id } })).map((row) => row.id);
    const first = await ids();
    await change('retrySource', { id: sources.nodes[0].id });
    await settle(id);
    expect(await ids()).toEqual(first);
    const { data } = await change('reindexSource', { id: sources.nodes[0].id });
    expect(data.reindexSource.source).toMatchObject({ status: 'in_progress', attempts: 0 });
    expect((await passagesOf(id)).map(({ text }) => text)).toEqual(['At nine.']);
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
    expect(await ids()).not.toEqual(first);
  });

  test('asked for twice, or while it is read, it ends the same', async () => {
    const release = hold('/twice', html('Twice.'));
    const { id, sources } = await make([page('/twice')]);
    await visited('/twice');
    await Promise.all([1, 2, 3].map(() => change('reindexSource', { id: sources.nodes[0].id })));
    release();
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 1 });
    expect((await passagesOf(id)).map(({ text }) => text)).toEqual(['Twice.']);
  });

  test('reindexBase does so with every source, pages of sites too', async () => {
    site.pages.set('/whole/', { body: `${html('Start.')}<a href="/whole/two">two</a>` });
    site.pages.set('/whole/two', { body: html('Two.') });
    const { id } = await make([{ type: 'site', file: { url: site.url('/whole/') } }, faq('a?', 'b')]);
    await settle(id);
    const rows = () => gateway.database.passage.findMany({ where: { baseId: id }, select: { id: true, text: true } });
    const first = await rows();
    expect((await reindex(id)).reindexBase.base.status).toBe('in_progress');
    expect(await settle(id)).toMatchObject({ status: 'succeeded', records: 3 });
    const second = await rows();
    expect(second.map(({ text }) => text).toSorted()).toEqual(first.map(({ text }) => text).toSorted());
    expect(second.filter((row) => first.some((old) => old.id === row.id))).toEqual([]);
  });

  test('reindexBase of an empty base leaves it succeeded', async () => {
    const { id, sources } = await make([faq('a?', 'b')]);
    await settle(id);
    await change('deleteSource', { id: sources.nodes[0].id });
    expect((await reindex(id)).reindexBase.base.status).toBe('succeeded');
    expect(await put(id, [faq('c?', 'd')])).toMatchObject({ status: 'in_progress' });
    await settle(id);
    expect((await see(id)).records).toBe(1);
  });
});
