import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sentencesOf } from '../../../src/model/reply/text.ts';
import type { Language } from '../claims/corpus.ts';

/** `unopened`: a third of the files, by the hash of their names, which nobody looks at while rules are changed. */
export type Part = 'open' | 'unopened';
/** Those that claims are made in, and others in which questions are asked. */
export type TextLanguage = Language | 'german' | 'chinese' | 'arabic';
/** Consecutive paragraphs of a document by other hands. */
export type Document<L = Language> = { language: L; part: Part; title: string; paragraphs: string[] };

/**
 * What Debian's packages debian-handbook, debian-reference-*, installation-guide-amd64, debian-faq and manpages-* hold.
 */
const files: Record<TextLanguage, string[]> = {
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
  german: ['usr/share/doc/debian-handbook/html/de-DE/*.html', 'usr/share/debian-reference/*.de.html'],
  chinese: ['usr/share/doc/debian-handbook/html/zh-CN/*.html', 'usr/share/debian-reference/*.zh-cn.html'],
  arabic: ['usr/share/doc/debian-handbook/html/ar-MA/*.html'],
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
export function readDocuments<L extends TextLanguage>(folder: string, language: L): Document<L>[] {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  return files[language]
    .flatMap((pattern) => globSync(pattern, { cwd: folder }).toSorted())
    .map((name): Document<L> => {
      const bytes = readFileSync(path.join(folder, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      const paragraphs = name.endsWith('.gz') ? manParagraphs(text) : htmlParagraphs(text);
      return {
        language,
        part: (createHash('sha256').update(path.basename(name)).digest()[0] ?? 0) % 3 === 0 ? 'unopened' : 'open',
        title: squashed(decoded(/<title>([^<]*)/.exec(text)?.[1] ?? path.basename(name))),
        paragraphs: [...new Set(paragraphs)].filter((each) => each.length <= 1_500 && isProse(each, language)),
      };
    })
    .filter(({ paragraphs }) => paragraphs.length >= 3);
}

/** Words of a language alone, and how many of them a paragraph has at least: some were left untranslated. */
const languageShown: Record<Exclude<TextLanguage, 'chinese' | 'arabic'>, [words: RegExp, least: number]> = {
  english: [/\b(?:the|is|are|and|of|with|this|that)\b/gi, 2],
  portuguese: [/(?<!\p{L})(?:não|uma?|em|na|do|da|são|é|com|você|ao|os)(?!\p{L})/giu, 2],
  spanish: [/(?<!\p{L})(?:el|las?|los|una?|y|en|del|con|es|está|se)(?!\p{L})/giu, 3],
  german: [/(?<!\p{L})(?:der|das|und|ist|nicht|eine?|mit|von|zu|wird|sie)(?!\p{L})/giu, 3],
};

/** Not a list of names or a line of code, nor left in another language. */
function isProse(text: string, language: TextLanguage): boolean {
  const share = (letters: RegExp) => (text.match(letters)?.length ?? 0) / text.length;
  if (language === 'chinese') return text.length >= 30 && share(/\p{Script=Han}/gu) > 0.5;
  if (language === 'arabic') return text.length >= 60 && share(/\p{Script=Arabic}/gu) > 0.5;
  const [shown, least] = languageShown[language];
  if ((text.match(shown)?.length ?? 0) < least) return false;
  return (
    text.length >= 80 && /^\p{Lu}.*[.!?]$/u.test(text) && (text.match(/\p{L}{2,}/gu)?.length ?? 0) * 12 >= text.length
  );
}

/** Sentences of an ordinary length. */
export const factsOf = (paragraph: string): string[] =>
  sentencesOf(paragraph).filter(
    (text) => text.length >= 40 && text.length <= 220 && /^\p{Lu}\p{L}*[ ,]/u.test(text) && /[^.]\.$/.test(text),
  );
