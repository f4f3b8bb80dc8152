import { expect, test } from 'vitest';
import type { Extracted } from '../../../src/knowledge/extract/types.ts';
import { extractFile, extractHtml } from '../../support/knowledge/extract-source.ts';
import { docx, epub, odf, paragraph, pptx, xlsx } from '../../support/knowledge/office-files.ts';

const file = (text: string) => () => extractFile(Buffer.from(text));
const json = (value: string) => file(`{"name":"Dog ${value} 3","list":["${value}"]}`);
const references = 'Dog &#0;&#xD83D; 3 &#x1;&#xDE00;&#xFFFE;';

/** Files that say half a character, NUL or a control character, each in its own way. */
const files: [string, () => Promise<Extracted>][] = [
  ['JSON', json('\\ud83d \\u0000 \\ude00')],
  ['lines of JSON', file('{"a":"\\u0000Dog 3"}\n{"a":"\\udfff\\u0007"}')],
  [
    'a notebook',
    file('{"nbformat":4,"metadata":{},"cells":[{"cell_type":"markdown","source":"# Dog\\u0000 3\\n\\ud83d"}]}'),
  ],
  ['XML', file(`<?xml version="1.0"?><shop><name>${references}</name></shop>`)],
  [
    'a feed',
    file(
      `<rss version="2.0"><channel><title>${references}</title><item><title>${references}</title></item></channel></rss>`,
    ),
  ],
  ['a vCard', file('BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:Dog=00=ED=A0=BD 3\nEND:VCARD\n')],
  ['subtitles', file('WEBVTT\n\n00:01.000 --> 00:02.000\nDog\u0007 3 \u009f\n')],
  ['Markdown', file('# Dog\u0007 3\n\nWords\u0085and \u2028more\ufffe.')],
  ['LaTeX', file('\\documentclass{article}\n\\title{Dog\u0007}\\begin{document}Dog\u0007 3\\end{document}')],
  ['CSV', file('Ticket,Euros\nDog\u0007,3\nCat\u0007,2\n')],
  [
    'an e-mail',
    file(
      'From: a@x.example\nTo: b@x.example\nDate: Mon, 2 Mar 2026 09:00:00 +0000\nMessage-ID: <a@x.example>\nSubject: =?utf-8?B?RG9nAAM=?=\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\nRG9nAAMgMw==\n',
    ),
  ],
  ['RTF', file("{\\rtf1\\ansi Dog \\u-10179?\\u0? 3 \\'00}")],
  [
    'a page',
    () => extractHtml(`<html><title>${references}</title><body><main><p>${references}</p></main></body></html>`),
  ],
  ['Word', () => extractFile(docx(paragraph(references)))],
  ['Excel', () => extractFile(xlsx(`<row><c t="inlineStr"><is><t>${references} _xD83D_ _x0000_</t></is></c></row>`))],
  ['PowerPoint', () => extractFile(pptx(`<p:sld><p:sp><a:p><a:r><a:t>${references}</a:t></a:r></a:p></p:sp></p:sld>`))],
  ['a book', () => extractFile(epub(`<html><body><p>${references}</p></body></html>`))],
  ['OpenDocument', () => extractFile(odf(`<office:text><text:p>${references}</text:p></office:text>`))],
];

/** Every text in what was read. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

test.each(files)('what cannot be stored is left out of %s', async (_, read) => {
  const texts = textsIn(await read());
  expect(texts.join('\n')).toContain('Dog');
  for (const text of texts) {
    expect(text.isWellFormed(), JSON.stringify(text)).toBe(true);
    expect(text, JSON.stringify(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  }
});
