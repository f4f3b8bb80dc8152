import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);

/** A fenced block: its language, its text, and the line that it begins on. */
export type Block = { page: string; line: number; language: string; text: string };

/** The tour first, since the other pages build on it; then docs/, and the pages beside the README. */
export const pages: string[] = [
  'README.md',
  'docs/tour.md',
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md') && name !== 'tour.md')
    .sort()
    .map((name) => `docs/${name}`),
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
];

/** What the benches measured, which /docs shows too. */
export const measurements = readdirSync(new URL('bench/', root))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `bench/${name}`);

export const textOf = (page: string): string => readFileSync(new URL(page, root), 'utf8');

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}
