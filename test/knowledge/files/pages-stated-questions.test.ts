import { describe, expect, test } from 'vitest';
import { extractHtml } from '../../support/knowledge/extract-source.ts';

const text = 'The ferry sails from the north pier.';
const sectionsOf = async (stated: unknown, body = '') => {
  const json = typeof stated === 'string' ? stated : JSON.stringify(stated);
  const { sections } = await extractHtml(
    `<html><head><title>Ferry</title><script type="application/ld+json">${json}</script></head><body><main><p>${text}</p>${body}</main></body></html>`,
  );
  expect(sections[0]?.text).toContain(text);
  return sections.slice(1);
};
const question = (name: unknown, answer: unknown) => ({
  '@type': 'Question',
  name,
  acceptedAnswer: { '@type': 'Answer', text: answer },
});

describe('questions that a page states for search engines are read:', () => {
  test.each<[string, unknown, { question: string; text: string }[]]>([
    [
      'with the lines and the words of an answer in HTML',
      {
        '@context': 'https://schema.org',
        '@type': 'FAQPage',
        mainEntity: [
          question('When?', '<p>At <b>nine</b>.</p><ul><li>Not on Sundays</li><li>Nor holidays</li></ul>'),
          question('Who &amp; how many?', 'All &lt; 18.'),
        ],
      },
      [
        { question: 'When?', text: 'At nine.\nNot on Sundays\nNor holidays' },
        { question: 'Who & how many?', text: 'All < 18.' },
      ],
    ],
    [
      'in a graph, of a page of two types',
      { '@graph': [{ '@type': ['WebPage', 'FAQPage'], mainEntity: question('When?', 'At nine.') }] },
      [{ question: 'When?', text: 'At nine.' }],
    ],
    [
      'of a page of one question, with answers by its readers',
      {
        '@type': 'QAPage',
        mainEntity: { '@type': 'https://schema.org/Question', name: 'When?', suggestedAnswer: [{ text: 'At nine.' }] },
      },
      [{ question: 'When?', text: 'At nine.' }],
    ],
  ])('%s', async (_, stated, sections) => {
    expect(await sectionsOf(stated)).toEqual(sections);
  });

  test('and not again where the text has them', async () => {
    const body = '<h2>When?</h2><p>At nine,\n  from the <b>north</b> pier.</p>';
    const stated = [question('When?', 'At nine, from the north pier.'), question('Who?', 'Everybody.')];
    const sections = await sectionsOf({ '@type': 'FAQPage', mainEntity: stated }, body);
    expect(sections.filter((section) => section.question)).toEqual([{ question: 'Who?', text: 'Everybody.' }]);
  });

  test.each([
    '{"@type": broken',
    'null',
    [null, 1, 'Question'],
    question('When?', 7),
    question('', 'At nine.'),
    question('When?', ' '),
    { '@type': 'Question', name: 'When?', acceptedAnswer: null },
    { '@type': 'Product', name: 'When?', acceptedAnswer: { text: 'At nine.' } },
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  ])('and nothing of what is none: %#', async (stated) => {
    expect(await sectionsOf(stated)).toEqual([]);
  });
});
