import { deflateSync, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { useGateway } from '../support/gateway/app.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { catalog, font, page, pdf, stream } from '../support/knowledge/pdf-files.ts';
import { useSite } from '../support/knowledge/site.ts';
import { startOpenAiServer } from '../support/model/openai-server.ts';

const env: Record<string, string> = { VISION_MODEL: 'eyes', VISION_MAX_PAGES: '4', KEY: 'key' };
let model: Awaited<ReturnType<typeof startOpenAiServer>>;
beforeAll(async () => {
  model = await startOpenAiServer('key');
  env.MODELS = `eyes=openai:e?url=${model.baseUrl}&key=KEY`;
});
afterAll(() => model.close());
beforeEach(() => {
  model.requests.length = 0;
});
const gateway = useGateway(env);
const { home, make, settle, texts, change } = useKnowledge(gateway, useSite());

/** A picture whose left half is black, and its right half white. */
const scan = (width: number, height: number, filters = '/ColorSpace /DeviceGray /BitsPerComponent 8') => {
  const bits = filters.endsWith('1') ? 1 : filters.includes('RGB') ? 24 : 8;
  const row = Buffer.alloc((width * bits) / 8, 0).fill(255, (width * bits) / 16);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return stream(
    pixels,
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${filters} /Filter /FlateDecode`,
  );
};
const shown = stream(Buffer.from('q 99 0 0 99 0 0 cm /I Do Q'), '');
const said = stream(Buffer.from('BT /F 9 Tf (Printed words.) Tj ET'), '');

/** A PDF of pages: `words`, `blank`, or a picture. */
function book(pages: ('words' | 'blank' | Buffer)[], more = ''): string {
  const objects: (string | Buffer)[] = [catalog, '', said, font, shown];
  const kids = pages.map((each) => {
    if (each === 'words') objects.push(page('/Contents 3 0 R /Resources << /Font << /F 4 0 R >> >>'));
    else if (each === 'blank') objects.push(page(''));
    else {
      objects.push(each);
      objects.push(page(`/Contents 5 0 R /Resources << /XObject << /I ${objects.length} 0 R >> >> ${more}`));
    }
    return `${objects.length} 0 R`;
  });
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`;
  return Buffer.from(pdf(objects)).toString('base64');
}

const seen = async (id: string) => {
  const query = 'query ($id: ID!) { base(id: $id) { sources { nodes { id status reason warnings } } } }';
  return (await gateway.data(home.viewer, query, { id })).base.sources.nodes[0];
};
const read = async (base64: string) => {
  const { id } = await make([{ type: 'file', file: { data: { base64 } } }]);
  await settle(id);
  const source = await seen(id);
  return { ...source, sourceId: source.id, id };
};

/** The size and pixels of the picture that the model was sent. */
function sent(request: number) {
  const { messages } = model.requests[request] as unknown as {
    messages: { content: { image_url?: { url: string } }[] }[];
  };
  const url = messages[1]?.content[1]?.image_url?.url ?? '';
  const png = Buffer.from(url.replace('data:image/png;base64,', ''), 'base64');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data = inflateSync(png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8));
  const rows = Array.from({ length: height }, (_, y) => data.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)));
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < width; x++) row[x] = (row[x] as number) + (rows[y - 1]?.[x] ?? 0);
  }
  return { width, height, at: (x: number, y: number) => rows[y]?.[x] };
}

describe('pages of pictures', () => {
  test('are read by the model that sees, in their places, and named in a warning', async () => {
    model.next({ content: 'The sauna opens at four.' }, { content: 'NONE' });
    const { id, status, warnings } = await read(book(['words', scan(400, 300), 'blank', scan(300, 400)]));
    expect(status).toBe('succeeded');
    expect(await texts(id)).toEqual(['Printed words.', 'The sauna opens at four.']);
    expect(warnings).toEqual([
      'Page 2 was read from pictures by the model eyes, which may err',
      'Pages 3–4 have no text',
    ]);
    expect(model.requests).toHaveLength(2);
    const { width, height, at } = sent(0);
    expect([width, height, at(10, 10), at(390, 290)]).toEqual([400, 300, 0, 255]);
    expect(model.requests[0]).toMatchObject({ model: 'e', max_tokens: 4_000 });
  });

  test.each([
    ['in colour and large', scan(4_000, 200, '/ColorSpace /DeviceRGB /BitsPerComponent 8'), '', [2_000, 100, 0, 255]],
    ['in black and white', scan(400, 300, '/ColorSpace /DeviceGray /BitsPerComponent 1'), '', [400, 300, 0, 255]],
    ['that is turned', scan(400, 300), '/Rotate 180', [400, 300, 255, 0]],
  ])('one %s is sent in gray, upright, and no larger than a model looks at', async (_name, picture, more, wanted) => {
    model.next({ content: 'Words.' });
    await read(book([picture], more));
    const { width, height, at } = sent(0);
    expect([width, height, at(10, 10), at(width - 10, height - 10)]).toEqual(wanted);
  });

  test('that the model fails to read are named, and are read when the source is read again', async () => {
    model.next({ status: 400, error: 'No' }, { status: 400, error: 'No' });
    const pages = [scan(400, 300), scan(300, 300), scan(350, 300)];
    const { id, status, warnings, sourceId } = await read(book(['words', ...pages]));
    expect([status, warnings]).toEqual(['succeeded', ['Pages 2–4 have no text; the model that reads pictures failed']]);
    expect(model.requests).toHaveLength(2);
    model.next({ content: 'Two.' }, { content: 'Three.', finish: 'length' }, { content: 'Four.' });
    await change('retrySource', { id: sourceId });
    await settle(id);
    expect(await texts(id)).toEqual(['Printed words.', 'Two.', 'Three.', 'Four.']);
    expect((await seen(id)).warnings).toEqual([
      'Pages 2–4 were read from pictures by the model eyes, which may err',
      'Page 3 was not read to the end: too much text',
    ]);
  });

  test('alone in a file that the model fails to read make the source fail', async () => {
    model.next({ status: 400, error: 'No' });
    const { status, reason } = await read(book([scan(400, 300)]));
    expect([status, reason]).toEqual([
      'failed',
      'There is no text in it: Page 1 has no text; the model that reads pictures failed',
    ]);
  });

  test('are read up to the limit, and no page with words is sent', async () => {
    model.next(...['One.', 'Two.', 'Three.', 'Four.'].map((content) => ({ content })));
    const pages = Array.from({ length: 6 }, (_, index) => scan(400, 300 + index));
    const { id, warnings } = await read(book(['words', ...pages]));
    expect(await texts(id)).toHaveLength(5);
    expect(warnings.at(-1)).toBe('Pages 6–7 have no text; of one file, 4 pictures of pages are read');
    expect(model.requests).toHaveLength(4);
    await read(book(['words', 'words']));
    expect(model.requests).toHaveLength(4);
  });
});

test('a model that reads pictures is one of those that are configured, and takes images', () => {
  const at = (more: string) => `a=openai:a?url=http://127.0.0.1:1${more}`;
  expect(() => readConfig({ VISION_MODEL: 'b', MODELS: at('') })).toThrow(/VISION_MODEL: must be the name of a model/);
  expect(() => readConfig({ VISION_MODEL: 'a', MODELS: at('&images=no') })).toThrow(/VISION_MODEL: .* takes images/);
  expect(() => readConfig({ VISION_MAX_PAGES: '0' })).toThrow(/VISION_MAX_PAGES/);
  expect(readConfig({ VISION_MODEL: 'a', MODELS: at('') }).vision).toMatchObject({
    maxPages: 50,
    settings: { name: 'a' },
  });
  expect(readConfig({}).vision).toBeNull();
});
