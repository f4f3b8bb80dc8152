import { describe, expect, test } from 'vitest';
import { cleanLine } from '../../src/knowledge/extract/clean.ts';
import { originOf } from '../../src/model/prompt/prompt.ts';
import { citeReferences } from '../../src/model/reply/references.ts';
import { firstTokens, lastTokens } from '../../src/model/reply/text.ts';
import { passage } from '../support/model/model-requests.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const charactersOf = (text: string) => [...graphemes.segment(text)].map(({ segment }) => segment);
const words = (word: string) => Array.from({ length: 900 / word.length }, () => word).join(' ');
/** Texts that are cut everywhere: what a reader sees as one character has several code units in each but the first. */
const texts: [name: string, text: string, hasSpaces: boolean][] = [
  ['words', words('returnable'), true],
  ['words with accents of their own', words('re\u0301ception'.repeat(2)), true],
  ['emoji', '👍'.repeat(500), false],
  ['families of emoji', '👨‍👩‍👧‍👦'.repeat(90), false],
  ['flags', '🇵🇹🇧🇷'.repeat(120), false],
  ['tones of skin', `a${'👋🏽'.repeat(200)}`, false],
  ['Thai', 'ที่นี่ไม่มีค่าธรรมเนียม'.repeat(40), false],
  ['Hindi', 'प्रतिक्रिया'.repeat(90), false],
  ['Japanese', '返品は三十日以内に限ります'.repeat(60), false],
  ['rare characters of Chinese', '𠮷野家'.repeat(200), false],
];

/** Whether a text is a beginning of another one that a reader could have written. */
function expectBeginning(cut: string, whole: string, hasSpaces: boolean): void {
  expect(cut.isWellFormed()).toBe(true);
  expect(whole.startsWith(cut)).toBe(true);
  const kept = charactersOf(cut);
  expect(kept).toEqual(charactersOf(whole).slice(0, kept.length));
  if (hasSpaces) expect(whole[cut.length]).toMatch(/\s/);
}

describe('where a long text is cut, its last word and character are whole:', () => {
  describe.each(texts)('%s', (_, text, hasSpaces) => {
    test.each([0, 1, 2, 3, 4, 5, 6, 7])('the quote of a citation, %d further', (shift) => {
      const sentence = `Returns ${'x'.repeat(shift)} ${text}`;
      const reply = { passages: [passage(sentence)], format: 'markdown' as const, enabled: true };
      const content = 'Returns [1].';
      const [cited] = citeReferences({ ...reply, content }).references;
      expect(cited?.quote.length).toBeGreaterThan(290);
      expect(cited?.quote.length).toBeLessThanOrEqual(400);
      expectBeginning(cited?.quote ?? '', sentence.replace(/\s+/g, ' '), hasSpaces);
    });

    test.each([0, 1, 2, 3, 4, 5, 6, 7])('the title of a page, %d further', (shift) => {
      const title = `${'x'.repeat(shift)}${text}`;
      const line = cleanLine(title, 300) ?? '';
      expect([line.length <= 300, line.at(-1)]).toEqual([true, '…']);
      expectBeginning(line.slice(0, -1), title.normalize('NFC'), hasSpaces);
      const place = originOf(passage('A text.', { title }));
      expect(place.length).toBeLessThanOrEqual(300);
      expectBeginning(place.replace(/…$/, ''), title, hasSpaces);
    });

    test.each([10, 11, 50, 51, 100])('what fits into %d tokens', (tokens) => {
      expectBeginning(firstTokens(text, tokens), text, false);
      expect(lastTokens(text, tokens).isWellFormed()).toBe(true);
    });
  });
});
