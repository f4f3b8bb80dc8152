import { describe, expect, test } from 'vitest';
import { extractHtml } from '../../support/knowledge/extract-source.ts';

const text = 'The ferry sails from the north pier.';
const sectionsOf = async (stated: unknown, body = '') => {
  const json = typeof stated === 'string' ? stated : JSON.stringify(stated).replaceAll('<', '\\u003c');
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

  test('nor in a list, nor twice; a short answer is known only with its question', async () => {
    const body =
      '<h2>How?</h2><ol><li>First open the gate of the pier.</li><li>Then go on board, and wait.</li></ol><p>Now!</p>';
    const steps = '<ul><li>First open the gate of the pier.</li><li>Then go on board, and wait.</li></ul>';
    const stated = [question('How?', steps), question('Dogs?', 'No'), question('Dogs?', 'No')];
    const found = await sectionsOf({ '@type': 'FAQPage', mainEntity: stated }, body);
    expect(found.filter((section) => section.question)).toEqual([{ question: 'Dogs?', text: 'No' }]);
  });

  test('but not an answer that would take long to read', async () => {
    const stated = [question('Deep?', '<div>'.repeat(2_100)), question('Who?', 'Everybody.')];
    expect(await sectionsOf({ '@type': 'FAQPage', mainEntity: stated })).toEqual([
      { question: 'Who?', text: 'Everybody.' },
    ]);
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
