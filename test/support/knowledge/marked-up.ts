import { extractFile } from './extract-source.ts';

type MarkedUp = { ext: string; text: string };

/** Reads text as a file with it does, one without a name unless it has an extension. */
export const readText = (file: MarkedUp | string) =>
  typeof file === 'string' ? extractFile(Buffer.from(file)) : extractFile(Buffer.from(file.text), file.ext);

/** Files of LaTeX, Org, AsciiDoc and reStructuredText with this in them. */
export const latex = (body: string, head = ''): MarkedUp => ({
  ext: 'tex',
  text: `\\documentclass{article}\n${head}\\begin{document}\n${body}\n\\end{document}\n`,
});
export const org = (body: string): MarkedUp => ({ ext: 'org', text: `#+TITLE: Ferries\n${body}\n` });
export const adoc = (body: string): MarkedUp => ({ ext: 'adoc', text: `= Ferries\n:toc:\n\n${body}\n` });
export const rst = (body: string): MarkedUp => ({ ext: 'rst', text: `.. _top:\n\n${body}\n` });
