import { afterEach, expect, test, vi } from 'vitest';
import { readSettings } from '../../src/widget/browser/settings.ts';
import { textsIn } from '../../src/widget/browser/texts/texts.ts';
import { createTimes } from '../../src/widget/browser/times.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['pt-BR', 'pt-BR', 'Hoje'],
  ['es', 'es', 'Hoy'],
  ['ES_mx', 'en-GB', 'Today'],
  ['ar', 'en', 'Today'],
  ['enm', 'en', 'Today'],
])('a page in %s has texts and times in one language: %s', (page, expected, today) => {
  vi.stubGlobal('document', { documentElement: { lang: page } });
  vi.stubGlobal('navigator', { language: 'en-GB' });
  const tag = { src: 'https://example.com/widget.js?channel=pub_1', dataset: {} } as HTMLScriptElement;
  const { language } = readSettings(tag);
  expect(language).toBe(expected);
  expect(createTimes(language).day(new Date().toISOString())).toBe(today);
  expect(textsIn(language)).toBe(textsIn(expected.slice(0, 2)));
});
