import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `answers` is empty for a question that its article does not answer. */
export type Question = { text: string; answers: string[]; article: number; paragraph: number };
export type Articles = { articles: { title: string; paragraphs: string[] }[]; questions: Question[] };

type File = {
  data: {
    title: string;
    paragraphs: {
      context: string;
      qas: { question: string; is_impossible?: boolean; answers: { text: string }[] }[];
    }[];
  }[];
};

/** Reads all .json files of a folder, or a single file, in the format of SQuAD 1.1 or 2.0. */
export function readArticles(path: string): Articles {
  const files = path.endsWith('.json') ? [path] : readdirSync(path).filter((name) => name.endsWith('.json'));
  const read: Articles = { articles: [], questions: [] };
  for (const file of files) {
    const { data } = JSON.parse(readFileSync(file === path ? path : join(path, file), 'utf8')) as File;
    for (const { title, paragraphs } of data) {
      const article = read.articles.push({ title, paragraphs: paragraphs.map(({ context }) => context) }) - 1;
      for (const [paragraph, { qas }] of paragraphs.entries()) {
        for (const { question, is_impossible = false, answers } of qas) {
          const gold = is_impossible ? [] : answers.map(({ text }) => text);
          read.questions.push({ text: question, answers: gold, article, paragraph });
        }
      }
    }
  }
  return read;
}
