import PostalMime, { type Address } from 'postal-mime';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { readMarkup } from '../html/html.ts';
import { readMarkdown } from '../plain/markdown.ts';
import type { Extracted } from '../types.ts';
import { latin } from '../xml-encoding.ts';
import type { ReadPart } from './attached.ts';
import { type Letter, readLetter } from './letter.ts';

/** How many bytes to search for the headers that identify a message. */
const headSize = 16_000;

/** Whether bytes are an e-mail (RFC 5322): header lines, including those that every message has. */
export function isMail(bytes: Uint8Array): boolean {
  const head = latin(bytes, headSize).split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lines = head.split(/\r?\n/);
  const areHeaders = lines.slice(0, -1).every((line) => /^([!-9;-~]{1,80}:|[ \t])/.test(line));
  return areHeaders && /^From:/im.test(head) && /^(Date|Message-ID|Received):/im.test(head);
}

/** Reads an e-mail: sender, recipients, date, text and attachments. Rejects with `ExtractFailure`. */
export const readMail = async (bytes: Uint8Array, readPart: ReadPart): Promise<Extracted> =>
  readLetter(await parse(bytes), readPart);

async function parse(bytes: Uint8Array): Promise<Letter> {
  try {
    const mail = await PostalMime.parse(bytes, { maxNestingDepth: 50, maxHeadersSize: 1_000_000 });
    const { subject, from, to, date, html, text, attachments } = mail;
    return {
      subject,
      from: from && named([from]),
      to: to && named(to),
      date,
      body: html ? readMarkup(html) : readMarkdown(text ?? '').sections,
      attachments: attachments
        .filter(({ related }) => !related)
        .map(({ filename, mimeType, content }) => ({ name: filename, contentType: mimeType, bytes: bytesOf(content) })),
    };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The e-mail could not be read: it is damaged', { cause: error });
  }
}

const bytesOf = (content: string | ArrayBuffer | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

const named = (addresses: Address[]): string =>
  addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name ? `${name} <${address}>` : address))
    .join(', ');
