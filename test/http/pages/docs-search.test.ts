import { expect, test } from 'vitest';
import { schema } from '../../../schema/index.ts';
import { graphiqlAsset } from '../../../src/http/pages/graphiql.ts';
import { type DocsHit, searchDocs } from '../../../src/http/pages/panels/search-docs.ts';

const textOf = ({ type, field, argument }: DocsHit) =>
  [type.name, field?.name, argument && `(${argument.name})`].filter(Boolean).join('.');
const search = (words: string, open?: string) => {
  const { within, types, fields } = searchDocs(schema, open ? schema.getType(open) : undefined, words);
  return { within, types, fields, texts: [within, types, fields].map((hits) => hits.map(textOf)) };
};

test('the editor lets descriptions be searched, and has tabs: its script has each place that is changed', async () => {
  const response = await graphiqlAsset(new Request('http://x/'), 'graphiql.js');
  const script = await response.text();
  expect(script.match(/return globalThis\.parleySearchDocs\(/g)).toHaveLength(1);
  expect(script.match(/"data-found":\w+\.found,"data-cy":"doc-explorer-option",/g)).toHaveLength(3);
  expect(script.match(/\(hit\.field\?\w+:\w+\)\(hit,at\)/g)).toHaveLength(1);
  expect(script.match(/Button,\{role:"tab","aria-selected":(\w+===\w+),tabIndex:\1\?0:-1,/g)).toHaveLength(1);
});

test('what has the words in its description follows what has them in its name', () => {
  const percentile = search('Percentile');
  expect(percentile.texts[2]).toContain('LeadGroup.p95');
  expect(percentile.fields.find((hit) => textOf(hit) === 'LeadGroup.p95')?.found).toMatch(/^95th percentiles: /);

  const { fields } = search('expire');
  const first = fields.findIndex(({ found }) => found !== undefined);
  expect(first).toBeGreaterThan(0);
  for (const [at, { type, field, argument, found }] of fields.entries()) {
    expect(found !== undefined, String(at)).toBe(at >= first);
    expect((found ?? (argument ?? field ?? type).name).toLowerCase()).toContain('expire');
  }
  expect(search('expire').fields.length).toBeLessThan(100);
  expect(search('a').texts.flat()).toHaveLength(100);
});

test('the type that is open comes first, and an argument only if its field has no such words', () => {
  const { within, texts } = search('percentile', 'LeadGroup');
  expect(texts[0]).toEqual(['LeadGroup.p95']);
  expect(within[0]?.found).toContain('percentile');
  expect(texts[2]).not.toContain('LeadGroup.p95');
  expect(search('toFilter', 'LeadGroup').texts[0]).toEqual(['LeadGroup.ratio.(toFilter)']);
  expect(search('ratio', 'LeadGroup').texts[0]).toEqual(['LeadGroup.ratio']);
  expect(search('no such words in here').texts.flat()).toEqual([]);
});
