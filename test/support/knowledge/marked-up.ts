import { extractFile } from './extract-source.ts';

/** Reads text as a file with it does. */
export const readText = (text: string) => extractFile(Buffer.from(text));

/** Files of LaTeX, Org, AsciiDoc and reStructuredText with this in them. */
export const latex = (body: string, head = '') =>
  `\\documentclass{article}\n${head}\\begin{document}\n${body}\n\\end{document}\n`;
export const org = (body: string) => `#+TITLE: Ferries\n${body}\n`;
export const adoc = (body: string) => `= Ferries\n:toc:\n\n${body}\n`;
export const rst = (body: string) => `.. _top:\n\n${body}\n`;
