import { readArticles } from '../answers/squad.ts';
import { type Collection, readCollection } from './beir.ts';

/** Reads a folder in the BEIR format, or a SQuAD file as its paragraphs and the questions that they answer. */
export function readFolder(path: string): Collection {
  if (!path.endsWith('.json')) return readCollection(path);
  const { articles, questions } = readArticles(path);
  const documents = articles.flatMap(({ title, paragraphs }, article) =>
    paragraphs.map((text, paragraph) => ({ id: `${article}-${paragraph}`, title, text })),
  );
  const answerable = questions.filter(({ answers }) => answers.length > 0);
  return {
    documents,
    queries: answerable.map(({ text }, index) => ({ id: `${index}`, text })),
    judged: new Map(
      answerable.map(({ article, paragraph }, index) => [`${index}`, new Map([[`${article}-${paragraph}`, 1]])]),
    ),
  };
}

/** Swaps two adjacent letters in the middle of the longest word. */
function misspell(text: string): string {
  const words = text.match(/\p{L}{5,}/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  for (let at = Math.max(2, longest.length >> 1); at + 1 < longest.length; at++) {
    if (longest[at] === longest[at + 1]) continue;
    const slipped = `${longest.slice(0, at)}${longest[at + 1]}${longest[at]}${longest.slice(at + 2)}`;
    return text.replace(longest, slipped);
  }
  return text;
}

/** The variants of each collection that are measured. */
export const variants: Record<string, (collection: Collection) => Collection> = {
  'as it is': (collection) => collection,
  'one typo in each question': ({ queries, ...rest }) => ({
    ...rest,
    queries: queries.map(({ id, text }) => ({ id, text: misspell(text) })),
  }),
  'without titles': ({ documents, ...rest }) => ({
    ...rest,
    documents: documents.map((document) => (document.text ? { ...document, title: '' } : document)),
  }),
};
