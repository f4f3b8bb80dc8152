import type { Content, Extracted } from '../types.ts';

type Format = {
  /** Extensions of its files, and names of its type. */
  names: RegExp;
  read(text: string): Promise<Extracted>;
};

const latex: Format = {
  names: /^(la)?tex$|^ltx$/,
  read: async (text) => (await import('./latex.ts')).readLatex(text),
};
const formats: Format[] = [
  latex,
  { names: /^org$/, read: async (text) => (await import('./org.ts')).readOrg(text) },
  { names: /^(adoc|asciidoc|asc)$/, read: async (text) => (await import('./asciidoc.ts')).readAsciidoc(text) },
  { names: /^(rst|rest)$/, read: async (text) => (await import('./restructured.ts')).readRestructured(text) },
];
/** Names of text that may hold anything. */
const plain = /^(txt|text|plain|octet-stream)?$/;

/**
 * Reads text with the marks of LaTeX, Org, AsciiDoc or reStructuredText; null for any other. Only a name tells them
 * from text that shows how they are written, unless it begins as LaTeX does.
 */
export async function readMarkedUp(
  source: string,
  { ext, contentType }: Pick<Content, 'ext' | 'contentType'>,
): Promise<Extracted | null> {
  const text = source.replace(/^\ufeff/, '');
  const type = /^(?:text|application)\/(?:x-|prs\.fallenstein\.)?([\w-]+)/i.exec(contentType)?.[1] ?? '';
  const names = [ext?.replace(/^\./, '') ?? '', type].map((name) => name.toLowerCase());
  const named = names.map((name) => formats.find((each) => each.names.test(name))).find(Boolean);
  const isLatex = names.every((name) => plain.test(name)) && /^(?:\s|%[^\n]*\n)*\\documentclass\b/.test(text);
  return (named ?? (isLatex ? latex : null))?.read(text) ?? null;
}
