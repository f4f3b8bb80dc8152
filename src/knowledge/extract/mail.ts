import PostalMime, { type Address } from 'postal-mime';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { aboutFile } from './about.ts';
import { cleanLine, cleanText } from './clean.ts';
import { readMarkup } from './html.ts';
import { readMarkdown } from './markdown.ts';
import { count } from './ranges.ts';
import type { Extracted } from './types.ts';
import { latin } from './xml-encoding.ts';

/** How many bytes to search for the headers that identify a message. */
const headSize = 16_000;
const mostNames = 10;

/** Whether bytes are an e-mail (RFC 5322): header lines, including those that every message has. */
export function isMail(bytes: Uint8Array): boolean {
  const head = latin(bytes, headSize).split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lines = head.split(/\r?\n/);
  const areHeaders = lines.slice(0, -1).every((line) => /^([!-9;-~]{1,80}:|[ \t])/.test(line));
  return areHeaders && /^From:/im.test(head) && /^(Date|Message-ID|Received):/im.test(head);
}

/** Reads an e-mail: sender, recipients, date and text. Attachments are only named. Rejects with `ExtractFailure`. */
export async function readMail(bytes: Uint8Array): Promise<Extracted> {
  try {
    const mail = await PostalMime.parse(bytes, { maxNestingDepth: 50, maxHeadersSize: 1_000_000 });
    const { subject, from, to, date, html, text, attachments } = mail;
    const said: [string, string | undefined][] = [
      ['From', from && named([from])],
      ['To', to && named(to)],
      ['Date', date],
    ];
    const head = said.flatMap(([name, value]) => (value ? `${name}: ${cleanLine(value, 500)}` : []));
    const heading = cleanLine(subject, 200);
    const body = html ? readMarkup(html) : readMarkdown(text ?? '').sections;
    const sections = [{ text: cleanText(head.join('\n')) }, ...body].map((section) => ({
      ...(heading && { heading }),
      ...section,
    }));
    const files = attachments.filter(({ related }) => !related);
    const names = files.slice(0, mostNames).map(({ filename }) => cleanLine(filename, 100) ?? 'without a name');
    const more = files.length > mostNames ? ', …' : '';
    const warning = `${count(files.length, 'attachment is', 'attachments are')} not read: ${names.join(', ')}${more}`;
    return { ...aboutFile({ title: subject }), sections, ...(files.length > 0 && { warnings: [warning] }) };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The e-mail could not be read: it is damaged', { cause: error });
  }
}

const named = (addresses: Address[]): string =>
  addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name ? `${name} <${address}>` : address))
    .join(', ');
