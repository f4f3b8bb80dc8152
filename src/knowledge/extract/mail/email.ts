import type { Section } from '../../../search/types.ts';
import { descriptionOf } from '../about.ts';
import { cleanLine, cleanText } from '../clean.ts';
import type { Extracted } from '../types.ts';
import { type Attachment, type ReadPart, readAttachments } from './attached.ts';

/** An e-mail, whatever the format that it was stored in. */
export type Email = {
  subject: string | undefined;
  from: string | undefined;
  to: string | undefined;
  date: string | undefined;
  body: Section[];
  attachments: Attachment[];
};

/** The sections of an e-mail: sender, recipients and date, its text, and its attachments. */
export async function readEmail(letter: Email, readPart: ReadPart): Promise<Extracted> {
  const { subject, from, to, date, body, attachments } = letter;
  const said: [string, string | undefined][] = [
    ['From', from],
    ['To', to],
    ['Date', date],
  ];
  const head = said.flatMap(([name, value]) => (value ? `${name}: ${cleanLine(value, 500)}` : []));
  const heading = cleanLine(subject, 200);
  const attached = await readAttachments(attachments, readPart);
  const sections = [{ text: cleanText(head.join('\n')) }, ...body].map((section) => ({
    ...(heading && { heading }),
    ...section,
  }));
  return {
    ...descriptionOf({ title: subject }),
    sections: [...sections, ...attached.sections],
    ...(attached.warnings.length > 0 && { warnings: attached.warnings }),
  };
}
