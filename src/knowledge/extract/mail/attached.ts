import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { cleanLine } from '../clean.ts';
import { count } from '../ranges.ts';
import type { Content, Extracted } from '../types.ts';

/** Reads content that is part of other content. */
export type ReadPart = (part: Pick<Content, 'bytes' | 'contentType' | 'ext'>) => Promise<Extracted>;
/** A file of an e-mail. `bytes` is null if it is not stored in the message. */
export type Attachment = { name: string | null | undefined; contentType: string; bytes: Uint8Array | null };

/** How many attachments of an e-mail are read, and how many of those left out are named. */
const maxRead = 20;
const maxNamed = 10;

/** Reads attachments, each under a heading with its name; the ones that cannot be read are named in a warning. */
export async function readAttachments(
  files: Attachment[],
  readPart: ReadPart,
): Promise<Required<Pick<Extracted, 'sections' | 'warnings'>>> {
  const sections: Section[] = [];
  const warnings: string[] = [];
  const unread: string[] = [];
  for (const [index, { name, contentType, bytes }] of files.entries()) {
    const title = cleanLine(name, 100);
    const read =
      bytes && index < maxRead ? await tryToRead(readPart, { bytes, contentType, ext: extensionOf(name) }) : null;
    if (!read) {
      unread.push(title ?? 'without a name');
      continue;
    }
    for (const section of read.sections) {
      const heading = [title ?? read.title, section.heading].filter(Boolean).join(' › ');
      sections.push({ ...section, ...(heading && { heading }) });
    }
    for (const warning of read.warnings ?? []) warnings.push(title ? `${title}: ${warning}` : warning);
  }
  const more = unread.length > maxNamed ? ', …' : '';
  const names = unread.slice(0, maxNamed).join(', ');
  if (unread.length > 0)
    warnings.unshift(`${count(unread.length, 'attachment is', 'attachments are')} not read: ${names}${more}`);
  return { sections, warnings };
}

async function tryToRead(readPart: ReadPart, part: Parameters<ReadPart>[0]): Promise<Extracted | null> {
  try {
    return await readPart(part);
  } catch (error) {
    if (error instanceof ExtractFailure) return null;
    throw error;
  }
}

const extensionOf = (name: string | null | undefined): string | null => /\.(\w{1,10})$/.exec(name ?? '')?.[1] ?? null;
