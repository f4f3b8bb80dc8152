import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sentencesOf } from '../../../src/model/reply/text.ts';
import type { Language } from '../claims/corpus.ts';

/** `unopened`: a third of the files, by the hash of their names, which nobody looks at while rules are changed. */
export type Part = 'open' | 'unopened';
/** Consecutive paragraphs of a document by other hands. */
export type Document = { language: Language; part: Part; title: string; paragraphs: string[] };

/** What Debian's packages debian-handbook, debian-reference-*, installation-guide-amd64, debian-faq and manpages-* hold. */
const files: Record<Language, string[]> = {
  english: [
    'usr/share/doc/debian-handbook/html/en-US/*.html',
    'usr/share/debian-reference/*.en.html',
    'usr/share/doc/installation-guide-amd64/en/*.html',
    'usr/share/doc/debian/FAQ/*.en.html',
  ],
  portuguese: [
    'usr/share/doc/debian-handbook/html/pt-BR/*.html',
    'usr/share/debian-reference/*.pt.html',
    'usr/share/doc/installation-guide-amd64/pt/*.html',
    'usr/share/man/pt_BR/man*/*.gz',
  ],
  spanish: [
    'usr/share/doc/debian-handbook/html/es-ES/*.html',
    'usr/share/debian-reference/*.es.html',
    'usr/share/doc/installation-guide-amd64/es/*.html',
    'usr/share/man/es/man*/*.gz',
  ],
};

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', nbsp: ' ', amp: '&' };
const decoded = (text: string): string =>
  text.replace(/&(?:#(x?)([\da-f]+)|([a-z]+));/gi, (whole, hex: string, digits?: string, name?: string) =>
    digits ? String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)) : (entities[name ?? ''] ?? whole),
  );
const squashed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The paragraphs of a page of HTML that contain no code, tables or notes of their own. */
const htmlParagraphs = (html: string): string[] =>
  [...html.matchAll(/<(?:p|div class="para")>((?:(?!<\/?(?:p|div|pre|table|ul|ol|dl)\b)[^])*)<\/(?:p|div)>/g)].map(
    ([, inner = '']) => squashed(decoded(inner.replace(/<[^>]*>/g, ''))),
  );

/** The paragraphs of a page of a manual, without its macros. */
const manParagraphs = (roff: string): string[] =>
  roff.split(/^\.(?:PP|P|TP|IP|SH|SS|LP|Pp)\b.*$/m).map((part) =>
    squashed(
      part
        .replace(/^\.(?:[BI]|BR|RB|IR|RI|BI|IB) +(.*)$/gm, '$1')
        .replace(/^['.].*$/gm, '')
        .replace(/\\f[A-Z]|\\\(?[&%|^]|"/g, '')
        .replace(/\\-/g, '-')
        .replace(/\\\S*/g, ''),
    ),
  );

/** Reads the documents of a folder into which packages were unpacked, or `/` where they are installed. */
export function readDocuments(folder: string, language: Language): Document[] {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  return files[language]
    .flatMap((pattern) => globSync(pattern, { cwd: folder }).toSorted())
    .map((name): Document => {
      const bytes = readFileSync(path.join(folder, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      const paragraphs = name.endsWith('.gz') ? manParagraphs(text) : htmlParagraphs(text);
      return {
        language,
        part: (createHash('sha256').update(path.basename(name)).digest()[0] ?? 0) % 3 === 0 ? 'unopened' : 'open',
        title: squashed(decoded(/<title>([^<]*)/.exec(text)?.[1] ?? path.basename(name))),
        paragraphs: [...new Set(paragraphs)].filter(
          (each) => each.length >= 80 && each.length <= 1_500 && isProse(each),
        ),
      };
    })
    .filter(({ paragraphs }) => paragraphs.length >= 3);
}

/** Not a list of names or a line of code. */
const isProse = (text: string): boolean =>
  /^\p{Lu}/u.test(text) && /[.!?]$/.test(text) && (text.match(/\p{L}{2,}/gu)?.length ?? 0) * 4 >= text.length / 3;

/** Sentences of an ordinary length. */
export const factsOf = (paragraph: string): string[] =>
  sentencesOf(paragraph).filter(
    (text) => text.length >= 40 && text.length <= 220 && /^\p{Lu}\p{L}*[ ,]/u.test(text) && /[^.]\.$/.test(text),
  );
