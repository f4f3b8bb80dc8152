import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { decodeText } from '../encoding.ts';
import { readMarkup } from '../html/html.ts';
import { readMarkdown } from '../plain/markdown.ts';
import { readRtf } from '../rtf/rtf.ts';
import type { Extracted } from '../types.ts';
import type { Attachment, ReadPart } from './attached.ts';
import { type Email, readEmail } from './email.ts';

const MsgReader = msgReader.default;

/** Reads an e-mail that Outlook saved (.msg), with its attachments. Rejects with `ExtractFailure`. */
export const readOutlook = (bytes: Uint8Array, readPart: ReadPart): Promise<Extracted> =>
  readEmail(parse(bytes), readPart);

function parse(bytes: Uint8Array): Email {
  try {
    const reader = new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const message = reader.getFileData();
    if (message.error) throw new Error(message.error);
    const { subject, senderName, senderSmtpAddress, senderEmail, recipients = [], attachments = [] } = message;
    const address = senderSmtpAddress ?? (senderEmail?.includes('@') ? senderEmail : undefined);
    return {
      subject,
      from: named(senderName, address),
      to: recipients
        .filter(({ recipType }) => recipType !== 'bcc')
        .map(({ name, smtpAddress, email }) => named(name, smtpAddress ?? email))
        .join(', '),
      date: dateOf(message.clientSubmitTime ?? message.messageDeliveryTime),
      body: bodyOf(message),
      attachments: attachments.filter((file) => !isInText(file)).map((file) => attachmentOf(reader, file)),
    };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The e-mail could not be read: it is damaged', { cause: error });
  }
}

const named = (name: string | undefined, address: string | undefined): string =>
  name && address && name !== address ? `${name} <${address}>` : (name ?? address ?? '');

const dateOf = (text: string | undefined): string | undefined => {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

/** The text as HTML if there is, else as plain text, else as RTF. */
function bodyOf({ bodyHtml, html, body, compressedRtf, internetCodepage }: FieldsData): Section[] {
  if (bodyHtml) return readMarkup(bodyHtml);
  if (html?.length) return readMarkup(decodeText(html, internetCodepage === 65_001 ? 'charset=utf-8' : '').text);
  if (body?.trim() || !compressedRtf) return readMarkdown(body ?? '').sections;
  return readRtf(Uint8Array.from(decompressRTF(Array.from(compressedRtf)))).sections;
}

/** Whether an attachment is a picture in the text. */
const isInText = ({ pidContentId, attachmentHidden, attachMimeTag }: FieldsData): boolean =>
  attachmentHidden === true || (Boolean(pidContentId) && (attachMimeTag ?? 'image/').startsWith('image/'));

function attachmentOf(reader: InstanceType<typeof MsgReader>, file: FieldsData): Attachment {
  const { fileName, fileNameShort, name, attachMimeTag, innerMsgContentFields } = file;
  const title = innerMsgContentFields ? (innerMsgContentFields.subject ?? name) : (fileName ?? fileNameShort ?? name);
  const bytes = file.contentLength || innerMsgContentFields ? reader.getAttachment(file).content : null;
  return { name: title, contentType: attachMimeTag ?? '', bytes };
}
