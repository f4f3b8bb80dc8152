import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, openGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';
import { useSite } from '../support/knowledge/site.ts';

const site = useSite();
let gateway: Gateway;
let home: TestWorkspace;
let agentId: string;
/** A loopback server that must receive no requests. */
let inside: Server;
let askedInside = 0;

const file = (name: string) => ({
  type: 'file',
  file: { key: name, data: { base64: readFileSync(new URL(`../files/${name}`, import.meta.url)).toString('base64') } },
});
/** Saved by LibreOffice, and a book by Pandoc: see test/files/office/make.sh. */
const office = ['regulamento.pdf', 'contrato.docx', 'tarifas.xlsx', 'onboarding.pptx', 'viagem.epub'].map(
  (name) => `office/${name}`,
);
const files = ['handbook.pdf', 'allotment.docx', 'timetable.xlsx', 'induction.pptx', 'skerry.epub', ...office];

/** A site of fifty pages, three of which are traps: one is broken, one redirects to itself, one to loopback. */
function openMuseum(): void {
  const rooms = Array.from({ length: 46 }, (_, index) => `/museum/room-${index + 1}`);
  const links = [...rooms, '/museum/broken', '/museum/round', '/museum/inside'];
  const html = (title: string, text: string, more = '') => ({
    body: `<html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main><nav>${more}</nav></body></html>`,
  });
  const menu = links.map((link) => `<a href="${link}">more</a>`).join(' ');
  site.pages.set('/museum/', html('Museum of tools', 'The museum is closed on the feast of Saint Barbara.', menu));
  for (const [index, room] of rooms.entries())
    site.pages.set(
      room,
      html(
        `Room ${index + 1}`,
        `This room shows the workshop of the ${trades[index % trades.length]} number ${index + 1}.`,
      ),
    );
  site.pages.set(
    '/museum/room-31',
    html('Room 31', 'The oldest lathe was built by Wilhelmina Oakes and turns by a treadle.'),
  );
  site.pages.set('/museum/broken', { status: 500 });
  site.pages.set('/museum/round', { status: 302, location: '/museum/round' });
  const { port } = inside.address() as AddressInfo;
  site.pages.set('/museum/inside', { status: 302, location: `http://127.0.0.1:${port}/admin` });
}
const trades = ['cooper', 'smith', 'weaver', 'potter', 'tanner', 'wheelwright', 'saddler'];

/** End to end through REST: files of real programs and a site go in, and answers cite them. */
beforeAll(async () => {
  inside = createServer((_request, response) => {
    askedInside += 1;
    response.end('<p>The password of the vault is swordfish.</p>');
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  openMuseum();
  const { host } = new URL(site.url('/'));
  gateway = await openGateway({ FETCH_ALLOW_HOSTS: host, CRAWL_DELAY_MS: '0' });
  home = await makeWorkspace(gateway);
  agentId = (await makeAgent(gateway, home.editor)).id;
  await gateway.work();
  const museum = { type: 'site', file: { key: 'museum', url: site.url('/museum/') } };
  const sources = [...files.map(file), museum];
  const made = await gateway.rest(home.app, 'POST', '/rest/bases', { description: 'All', sources });
  await gateway.services.queue.idle();
  const attach = `mutation { attachBase(input: { agentId: "${agentId}", baseId: "${made.body.id}" }) { agent { id } } }`;
  await gateway.data(home.editor, attach);
});
afterAll(async () => {
  await gateway.close();
  inside.closeAllConnections();
  inside.close();
});

const ask = async (content: string) =>
  (await gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content } })).body.messages.at(-1);

describe('a question whose answer stands in one source alone is answered from there:', () => {
  test.each([
    ['What is the emergency number of the lake rescue?', 'handbook.pdf', '0881 556677', { page: 2 }],
    ['How much is the deposit for hoses?', 'allotment.docx', '12 euros', { heading: 'Plots › Water' }],
    ['What does a camper van pay on the ferry?', 'timetable.xlsx', 'Camper van', { sheet: 'Prices', rows: '2–5' }],
    ['When is the fire drill?', 'induction.pptx', 'first Tuesday', { slide: 2 }],
    ['What does the log of that night say?', 'skerry.epub', 'no ship lost', { chapter: 'The storm' }],
    ['Quanto custa a reserva do salão de festas?', 'office/regulamento.pdf', 'cento e oitenta reais', { page: 1 }],
    ['Quem aprova a instalacao de ar condicionado?', 'office/regulamento.pdf', 'Tibúrcio Nogueira', { page: 2 }],
    ['Para onde ligo se houver vazamento de gás?', 'office/regulamento.pdf', '0800 771 2200', { page: 3 }],
    [
      '¿A cuánto asciende la renta mensual de la bodega?',
      'office/contrato.docx',
      'mil cien euros',
      { heading: expect.stringMatching(/Renta$/) },
    ],
    [
      '¿Quién revisa las barricas de roble frances?',
      'office/contrato.docx',
      'Remedios Ibarra',
      { heading: expect.stringMatching(/Barricas$/) },
    ],
    ['How much is the return fare for a horse box?', 'office/tarifas.xlsx', '109', { sheet: 'Fares' }],
    ['Who is the harbour master of the coal pier?', 'office/tarifas.xlsx', 'Anders Lunde', { sheet: 'Berths' }],
    ['Where is the kill switch of the drone?', 'office/onboarding.pptx', 'windsock', { slide: 3 }],
    ['At what charge are lithium packs stored?', 'office/onboarding.pptx', 'forty percent', { slide: 4 }],
    ['Quando toca o sino da aldeia submersa?', 'office/viagem.epub', 'doze metros', { chapter: 'A aldeia submersa' }],
    ['Onde perdeu a Leonor a bussola de latao?', 'office/viagem.epub', 'ponte romana', { chapter: 'O regresso' }],
    ['Who built the oldest lathe?', 'museum', 'Wilhelmina Oakes', { title: 'Room 31' }],
    ['On which feast is the museum closed?', 'museum', 'Saint Barbara', { title: 'Museum of tools' }],
  ])('%s', async (question, key, words, place) => {
    const { content, metadata } = await ask(question);
    const [cited] = metadata.references;
    expect(cited).toMatchObject({ place, quote: expect.stringContaining(words) });
    expect(content).toContain(cited.quote);
    const { sourceId, text } = await gateway.database.passage.findFirstOrThrow({ where: { id: cited.passageId } });
    const source = await gateway.database.source.findFirstOrThrow({ where: { id: sourceId } });
    expect([source.key, cited.sourceId]).toEqual([key, sourceId]);
    expect(text).toContain(words);
    if (key === 'museum')
      expect(cited.url).toBe(
        (place as { title: string }).title === 'Room 31' ? site.url('/museum/room-31') : site.url('/museum/'),
      );
  });

  test('by the title and the place, for people', async () => {
    const said = await Promise.all(
      ['What is the emergency number of the lake rescue?', 'What does a camper van pay on the ferry?'].map(ask),
    );
    expect(said.map(({ content }) => content)).toEqual([
      expect.stringContaining('Handbook, page 2:'),
      expect.stringContaining('Prices, rows 2–5:'),
    ]);
  });
});

test('of the site every page has its outcome, and nothing inside was asked', async () => {
  const query = `{ sources(filter: { type: [site] }) { nodes { status done total
    pages(first: 100) { totalCount nodes { url status reason } } } } }`;
  const [{ status, done, total, pages }] = (await gateway.data(home.viewer, query)).sources.nodes;
  expect([status, done, total, pages.totalCount]).toEqual(['succeeded', 50, 50, 50]);
  const failed = pages.nodes
    .filter((page: { status: string }) => page.status !== 'succeeded')
    .map(({ url, reason }: { url: string; reason: string }) => [new URL(url).pathname, reason]);
  expect(failed).toEqual([
    ['/museum/broken', 'The page responded with 500'],
    ['/museum/round', expect.stringMatching(/redirects too many times/)],
    ['/museum/inside', 'The address is private: only the operator can allow its host (FETCH_ALLOW_HOSTS)'],
  ]);
  expect(askedInside).toBe(0);
  expect((await ask('What is the password of the vault?')).metadata.references).toEqual([]);
});
