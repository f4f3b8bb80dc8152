import PostalMime, { type Address, type Email as ParsedMail } from 'postal-mime';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { readHtml, readMarkup } from '../html/html.ts';
import { readMarkdown } from '../plain/markdown.ts';
import { count } from '../ranges.ts';
import type { Extracted } from '../types.ts';
import { latin } from '../xml-encoding.ts';
import type { ReadPart } from './attached.ts';
import { type Email, readEmail } from './email.ts';

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
  isSavedPage(bytes) ? readSavedPage(bytes) : readEmail(emailOf(await parse(bytes)), readPart);

/** A page that a browser has saved as one file (MHTML), with its pictures and styles. */
const isSavedPage = (bytes: Uint8Array): boolean =>
  /^(Snapshot-Content-Location:|From: *"?<?Saved by )/im.test(latin(bytes, headSize));

async function readSavedPage(bytes: Uint8Array): Promise<Extracted> {
  const { html, headers } = await parse(bytes);
  const url = headers.find(({ key }) => key === 'snapshot-content-location')?.value ?? null;
  return readHtml(html ?? '', url);
}

/** The line that begins each e-mail of a mailbox (mbox), before its headers. */
const separator = /^From \S+ .*\d{4}.*\r?\n(?=[!-9;-~]{1,80}:)/m;
const maxEmails = 5_000;

/** Whether bytes are a mailbox, as Thunderbird and Google Takeout write it. */
export function isMailbox(bytes: Uint8Array): boolean {
  const [line = ''] = separator.exec(latin(bytes, headSize)) ?? [];
  return line !== '' && latin(bytes, line.length) === line && isMail(bytes.subarray(line.length));
}

/** Reads a mailbox: each e-mail as `readMail` does. Rejects with `ExtractFailure`. */
export async function readMailbox(bytes: Uint8Array, readPart: ReadPart): Promise<Extracted> {
  const emails = latin(bytes, bytes.length).split(new RegExp(separator, 'gm')).slice(1);
  const read = emails.slice(0, maxEmails).map((email) => email.replaceAll(/^>(?=>*From )/gm, ''));
  const sections: Section[] = [];
  const warnings: string[] = [];
  let damaged = 0;
  for (const email of read) {
    const extracted = await readMail(Buffer.from(email, 'latin1'), readPart).catch((error: unknown) => {
      if (error instanceof ExtractFailure) return null;
      throw error;
    });
    if (!extracted) {
      damaged++;
      continue;
    }
    for (const section of extracted.sections) sections.push(section);
    for (const warning of extracted.warnings ?? []) warnings.push(`${extracted.title ?? 'An e-mail'}: ${warning}`);
  }
  if (damaged > 0) warnings.unshift(`${count(damaged, 'e-mail is', 'e-mails are')} not read: damaged`);
  const left = emails.length - read.length;
  if (left > 0) warnings.unshift(`${count(left, 'e-mail is', 'e-mails are')} not read: split the mailbox`);
  return { sections, ...(warnings.length > 0 && { warnings }) };
}

async function parse(bytes: Uint8Array): Promise<ParsedMail> {
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: 50, maxHeadersSize: 1_000_000 });
  } catch (error) {
    throw new ExtractFailure('The e-mail could not be read: it is damaged', { cause: error });
  }
}

function emailOf({ subject, from, to, date, html, text, attachments }: ParsedMail): Email {
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
}

const bytesOf = (content: string | ArrayBuffer | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

const named = (addresses: Address[]): string =>
  addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name ? `${name} <${address}>` : address))
    .join(', ');
