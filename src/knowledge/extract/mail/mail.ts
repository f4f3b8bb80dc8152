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
export async function readMail(bytes: Uint8Array, readPart: ReadPart): Promise<Extracted> {
  const read = await parse(bytes);
  return 'page' in read ? readHtml(read.page, read.url) : readEmail(read, readPart);
}

/** The line that begins each e-mail of a mailbox (mbox), after a blank line. */
const separator = /(?<=^|\n\r?\n)From \S{1,320} .{0,40}\d\d:\d\d.{0,40}\d{4}.{0,20}\r?\n(?=[!-9;-~]{1,80}:)/g;
const maxEmails = 5_000;
const maxWarnings = 10;

/** Whether bytes are a mailbox, as Thunderbird and Google Takeout write it. */
export const isMailbox = (bytes: Uint8Array): boolean => {
  const [first = ''] = emailsIn(latin(bytes, headSize * 2));
  return first !== '' && isMail(Buffer.from(first, 'latin1'));
};

/** The e-mails of a mailbox; a line in one that looks like a separator, but no e-mail follows, is text. */
function emailsIn(mailbox: string): string[] {
  const text = mailbox.replace(/^(\xef\xbb\xbf)?\s*/, '');
  const starts = [...text.matchAll(separator)].map(({ index, 0: line }) => ({ from: index, to: index + line.length }));
  if (starts[0]?.from !== 0) return [];
  const begun = starts.filter(({ to }, at) => at === 0 || isMail(Buffer.from(text.slice(to, to + headSize), 'latin1')));
  return begun.map(({ to }, at) => text.slice(to, begun[at + 1]?.from));
}

/** Reads a mailbox: each e-mail as `readMail` does. Rejects with `ExtractFailure`. */
export async function readMailbox(bytes: Uint8Array, readPart: ReadPart): Promise<Extracted> {
  const emails = emailsIn(latin(bytes, bytes.length));
  const sections: Section[] = [];
  const said: string[] = [];
  let unread = 0;
  for (const email of emails.slice(0, maxEmails)) {
    const unescaped = email.replaceAll(/^>(?=>*From )/gm, '');
    const extracted = await readMail(Buffer.from(unescaped, 'latin1'), readPart).catch((error: unknown) => {
      if (error instanceof ExtractFailure) return null;
      throw error;
    });
    if (!extracted) unread++;
    for (const section of extracted?.sections ?? []) sections.push(section);
    for (const warning of extracted?.warnings ?? []) said.push(`${extracted?.title ?? 'An e-mail'}: ${warning}`);
  }
  const left = emails.length - maxEmails;
  const warnings = [
    ...(left > 0 ? [`${count(left, 'e-mail is', 'e-mails are')} not read: split the mailbox`] : []),
    ...(unread > 0 ? [`${count(unread, 'e-mail', 'e-mails')} could not be read`] : []),
    ...said.slice(0, maxWarnings),
    ...(said.length > maxWarnings ? [count(said.length - maxWarnings, 'more warning', 'more warnings')] : []),
  ];
  return { sections, ...(warnings.length > 0 && { warnings }) };
}

async function parse(bytes: Uint8Array): Promise<Email | { page: string; url: string | null }> {
  try {
    const mail = await PostalMime.parse(bytes, { maxNestingDepth: 50, maxHeadersSize: 1_000_000 });
    // A page that a browser has saved as one file (MHTML), with its pictures and styles.
    const url = mail.headers.find(({ key }) => key === 'snapshot-content-location')?.value ?? null;
    const isSaved =
      url !== null ||
      /^Saved by (Blink|WebKit|Mozilla|(Windows|Microsoft) Internet Explorer)/.test(mail.from?.name ?? '');
    return isSaved && mail.html ? { page: mail.html, url } : emailOf(mail);
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
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
