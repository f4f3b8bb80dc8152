import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sentencesOf, termsOf } from '../../../src/model/reply/text.ts';
import { randomOf } from '../../../test/support/random/random.ts';
import { pick } from '../claims/corpus.ts';
import type { Articles, Question } from '../squad.ts';
import { readDocuments, type TextLanguage } from './texts.ts';

const maxArticles = 16;
const maxParagraphs = 40;
const perLanguage = 30;

/** Questions about daily life, in six languages, written by hand. */
export const everyday = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../data/off-topic/questions.json'), 'utf8'),
) as Record<TextLanguage, string[]>;

const asks: Record<TextLanguage, (words: string) => string> = {
  english: (words) => `What about ${words}?`,
  portuguese: (words) => `O que é isto: ${words}?`,
  spanish: (words) => `¿Qué hay de ${words}?`,
  german: (words) => `Was ist mit ${words}?`,
  chinese: (words) => `${words}是什么？`,
  arabic: (words) => `ماذا عن ${words}؟`,
};

/**
 * Documents of Debian in a language, and questions: those about daily life, which none of them answers (`article` -1),
 * and as many in words of a sentence that stands there.
 */
export function questionsOf(folder: string, language: TextLanguage, seed: number): Articles {
  const random = randomOf(seed);
  const articles = readDocuments(folder, language)
    .slice(0, maxArticles)
    .map(({ title, paragraphs }) => ({ title, paragraphs: paragraphs.slice(0, maxParagraphs) }));
  const questions: Question[] = everyday[language].map((text) => ({ text, answers: [], article: -1, paragraph: -1 }));
  while (questions.length < everyday[language].length + perLanguage) {
    const article = Math.floor(random() * articles.length);
    const paragraphs = articles[article]?.paragraphs ?? [];
    const paragraph = Math.floor(random() * paragraphs.length);
    const sentence = pick(sentencesOf(paragraphs[paragraph] ?? ''), random);
    const words = wordsOf(sentence, language, random);
    if (words) questions.push({ text: asks[language](words), answers: [sentence], article, paragraph });
  }
  return { articles, questions };
}

/** Some words of a sentence in order, as somebody would search for it. */
function wordsOf(sentence: string, language: TextLanguage, random: () => number): string | null {
  if (language === 'chinese') {
    const [piece] = sentence.match(/\p{Script=Han}{6,}/gu) ?? [];
    return piece ? piece.slice(0, 8) : null;
  }
  const words = (sentence.match(/\p{L}{4,}/gu) ?? []).filter((word) => termsOf(word).size > 0);
  if (words.length < 8) return null;
  const start = Math.floor(random() * (words.length - 4));
  return words.slice(start, start + 4).join(' ');
}
