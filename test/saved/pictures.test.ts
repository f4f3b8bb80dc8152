import { DOMParser } from 'linkedom';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawingOf } from '../../src/http/pages/panels/charts/series.ts';
import { type ChartType, chartTypes } from '../../src/http/pages/panels/charts/spec.ts';
import { tablesOf } from '../../src/http/pages/panels/charts/table.ts';
import { pictureOf } from '../../src/saved/picture.ts';
import { escaped } from '../../src/saved/svg-canvas.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
const bearer = async () => gateway.bearer(home.viewer);

beforeAll(async () => {
  home = await makeWorkspace(gateway);
  for (const name of ['<One & "two">', 'Zwei', 'Três'])
    await gateway.data(home.owner, 'mutation ($name: String!) { createAgent(input: {name: $name}) { agent { id } } }', {
      name,
    });
  const save = (name: string, document: string, more: object = {}) =>
    gateway.data(
      home.owner,
      'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }',
      {
        input: { name, document, ...more },
      },
    );
  await save(
    'agents',
    'query ($status: [AgentStatus!]) { agents(filter: { status: $status }) { groups { nodes { by { status } count } } } }',
    {
      description: 'Agents by <status>.',
      chart: { type: 'pie', x: 'by.status', y: 'count' },
    },
  );
  await save('total', '{ agents { totalCount } }');
  await save('names', '{ agents(orderBy: { field: name, direction: asc }) { nodes { name } } }');
  await save('odd', '{ agents { groups { nodes { by { status } count } } } }', {
    chart: { type: 'bar', x: 7, y: ['count'] },
  });
  await save('refused', '{ auditEntries(first: 1) { totalCount } }');
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await gateway.app.request(path, {
    headers: { authorization: `Bearer ${await bearer()}`, ...headers },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    headers: response.headers,
  };
}
/** The texts of a picture, which is an XML document. */
function textsOf(svg: string): string[] {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  expect(root?.tagName).toBe('svg');
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  return [...(root?.querySelectorAll('text') ?? [])].map(({ textContent }) => textContent ?? '');
}

describe('a saved query as a picture', () => {
  test('is drawn as its chart says, by its ending and by Accept, with an ETag', async () => {
    const { status, type, text, headers } = await get('/run/agents.svg');
    expect([status, type]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(text).toContain('<title>Agents by &lt;status>.</title>');
    expect(text).toContain('aria-label="Agents by &lt;status>. A pie chart of count by status');
    expect(textsOf(text)).toEqual(['draft']);
    expect((await get('/run/agents', { accept: 'image/svg+xml' })).text).toBe(text);
    const etag = headers.get('etag') ?? '';
    expect((await get('/run/agents.svg', { 'if-none-match': etag })).status).toBe(304);
  });

  test('is light or dark, each with an ETag of its own, by which it is not even drawn', async () => {
    const [light, dark] = [await get('/run/agents.svg?theme=light'), await get('/run/agents.svg?theme=dark')];
    expect(light.text).toBe((await get('/run/agents.svg')).text);
    expect([light.text.includes('#212a3b'), dark.text.includes('fill="#212a3b"')]).toEqual([false, true]);
    expect(textsOf(dark.text)).toEqual(['draft']);
    const etag = dark.headers.get('etag') ?? '';
    expect(etag).not.toBe(light.headers.get('etag'));
    const again = await get('/run/agents.svg?theme=dark', { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await get('/run/agents.svg', { 'if-none-match': etag })).status).toBe(200);
    expect((await get('/run/agents.svg?theme=blue')).status).toBe(400);
  });

  test('says so if there is nothing, or nothing that can be drawn', async () => {
    expect(textsOf((await get('/run/agents.svg?status=archived')).text)).toEqual(['There are no rows.']);
    expect(textsOf((await get('/run/names.svg')).text)).toEqual(['The result has no numbers to draw.']);
    expect(textsOf((await get('/run/total.svg')).text)).toEqual(['Agents', '3']);
    expect(textsOf((await get('/run/odd.svg')).text)).toContain('draft');
  });

  test('is JSON where it fails', async () => {
    const { status, type } = await get('/run/refused.svg');
    expect([status, type]).toEqual([403, 'application/json; charset=utf-8']);
    expect((await get('/run/agents.svg?other=1')).status).toBe(400);
    expect((await get('/run/nothing.svg')).status).toBe(404);
  });
});

const weeks = ['2026-10-05', '2026-10-12', '2026-10-19', '2026-10-26'].map((day) => `${day}T00:00:00.000Z`);
const strange = ['web', '<script>&"', 'Größe 中文', '\u0007\uD800 a very long name of a campaign that goes on and on'];
const data = {
  leads: {
    groups: {
      nodes: weeks.flatMap((from, at) =>
        strange.map((campaign, place) => ({
          by: { week: { from }, campaign },
          count: at === 2 && place === 1 ? null : at * 7 + place,
          avg: { value: -3.5 * at },
        })),
      ),
    },
  },
};
const values = [
  { path: 'leads.groups.nodes.count', kind: 'count', additive: true, unit: null },
  { path: 'leads.groups.nodes.avg.value', kind: 'average', additive: false, unit: 'USD' },
];

describe('a picture', () => {
  const [table] = tablesOf(data, values);
  const cases = chartTypes
    .filter((type) => type !== 'table' && type !== 'number')
    .flatMap((type) => ['count', 'avg.value'].map((y) => [type, y] as [ChartType, string]));
  test.each(cases)('of the type %s has the labels and series of the drawing of %s', async (type, y) => {
    if (!table) throw new Error('There is no table.');
    const spec = { type, x: 'by.week.from', y, split: type === 'pie' ? null : 'by.campaign' };
    const drawing = drawingOf(table, spec);
    const texts = textsOf(await pictureOf('Leads', table, spec));
    const named =
      drawing.type === 'pie' ? drawing.labels : [...drawing.labels, ...drawing.series.map(({ name }) => name)];
    const written = named.map((name) => name.replaceAll(/[\u0007\uD800]/g, ''));
    expect(texts).toEqual(expect.arrayContaining(written));
    for (const note of drawing.leftOut) expect(texts.join(' ')).toContain(note);
  });

  test('of bars side by side hides none behind another', async () => {
    if (!table) throw new Error('There is no table.');
    const svg = await pictureOf('Leads', table, { type: 'bar', x: 'by.week.from', y: 'count', split: 'by.campaign' });
    // Bars have round corners.
    const bars = [...svg.matchAll(/<path d="M([\d.]+) [^"]*A[^"]*"/g)].map(([, x]) => x);
    expect([bars.length, new Set(bars).size]).toEqual([14, 14]);
  });

  test('has no character that XML has not', () => {
    expect(escaped('a\u0000\uD800<&">')).toBe('a&lt;&amp;&quot;>');
  });
});
