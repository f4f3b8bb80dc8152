import { expect, test } from 'vitest';
import { textsIn } from '../../src/widget/browser/texts/texts.ts';
import { createTimes } from '../../src/widget/browser/times.ts';

test.each([
  ['pt-BR', 'pt-BR', 'Hoje'],
  ['es', 'es', 'Hoy'],
  ['ar', 'en', 'Today'],
])('a page in %s has texts and times in one language: %s', (page, language, today) => {
  const found = textsIn(page);
  expect(found.language).toBe(language);
  expect(createTimes(found.language).day(new Date().toISOString())).toBe(today);
});
