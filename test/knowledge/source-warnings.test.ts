import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { useKnowledge } from '../support/knowledge/knowledge.ts';
import { catalog, font, page, pdf, stream } from '../support/knowledge/pdf-files.ts';
import { useSite } from '../support/knowledge/site.ts';

const gateway = useGateway();
const { home, make, put, settle } = useKnowledge(gateway, useSite());

const said = stream(Buffer.from('BT /F 9 Tf (Open.) Tj ET'), '');
const words = '/Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>';
const file = (second: string, key = 'plan') => {
  const pages = '<< /Type /Pages /Count 2 /Kids [3 0 R 6 0 R] >>';
  const base64 = Buffer.from(pdf([catalog, pages, page(words), said, font, page(second)])).toString('base64');
  return { type: 'file', file: { data: { base64 }, key } };
};
const seen = async (id: string) => {
  const query = 'query ($id: ID!) { base(id: $id) { sources { nodes { status warnings } } } }';
  return (await gateway.data(home.viewer, query, { id })).base.sources.nodes;
};

describe('the warnings of a source', () => {
  test('say what was left out when it was read last', async () => {
    const { id } = await make([file('')]);
    await settle(id);
    const warning = 'Page 2 has no text; pictures of text are not read';
    expect(await seen(id)).toEqual([{ status: 'succeeded', warnings: [warning] }]);
    await put(id, [file(words)]);
    await settle(id);
    expect(await seen(id)).toEqual([{ status: 'succeeded', warnings: [] }]);
  });

  test('are none before it is read, and of a source of which all is read', async () => {
    const { id } = await make([{ type: 'faq', file: { data: { question: 'Open?', answer: 'From nine.' } } }]);
    await settle(id);
    expect(await seen(id)).toEqual([{ status: 'succeeded', warnings: [] }]);
  });
});
