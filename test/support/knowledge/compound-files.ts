import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';

/** The streams and storages of a compound file (CFB), by name. */
export type Storage = { [name: string]: Uint8Array | Storage };

/** A compound file, the container of `.doc` and `.msg`. */
export function compoundFile(root: Storage): Uint8Array {
  const entries: Entry[] = [{ name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [] }];
  const add = (storage: Storage): number[] =>
    Object.entries(storage).map(([name, content]) => {
      const at = entries.length;
      if (content instanceof Uint8Array) {
        // A copy, since the writer uses the underlying buffer from its start.
        const bytes = Uint8Array.from(content);
        entries.push({ name, type: TypeEnum.DOCUMENT, length: bytes.length, binaryProvider: () => bytes });
      } else {
        const directory: Entry = { name, type: TypeEnum.DIRECTORY, length: 0 };
        entries.push(directory);
        directory.children = add(content);
      }
      return at;
    });
  (entries[0] as Entry).children = add(root);
  return burn(entries);
}

type DocOptions = { footnote?: string; isLocked?: boolean; more?: Storage };

/**
 * A Word 97 document ([MS-DOC]): one piece of UTF-16, with `\r` after a paragraph and `\x07` after a cell.
 */
export function doc(text: string, { footnote = '', isLocked = false, more = {} }: DocOptions = {}): Uint8Array {
  const whole = Buffer.from(`${text}${footnote && `${footnote}\r`}\r`, 'utf16le');
  const start = 1_024;
  const word = Buffer.alloc(Math.max(4_096, start + whole.length));
  word.writeUInt16LE(0xa5ec, 0);
  word.writeUInt16LE(0xc1, 2);
  word.writeUInt16LE(isLocked ? 0x0100 : 0, 10);
  word.writeUInt32LE(start, 0x18);
  word.writeUInt32LE(text.length, 0x4c);
  word.writeUInt32LE(footnote ? footnote.length + 1 : 0, 0x50);
  // The piece table: one piece from the first character to the last, not compressed.
  const pieces = Buffer.alloc(5 + 16);
  pieces.writeUInt8(2, 0);
  pieces.writeUInt32LE(16, 1);
  pieces.writeUInt32LE(whole.length / 2, 9);
  pieces.writeUInt32LE(start, 15);
  word.writeUInt32LE(0, 0x1a2);
  word.writeUInt32LE(pieces.length, 0x1a6);
  whole.copy(word, start);
  const table = Buffer.alloc(4_096);
  pieces.copy(table);
  return compoundFile({ ...more, WordDocument: word, '0Table': table });
}

/** Text properties as streams of an Outlook message ([MS-OXMSG]); `0037` is the subject. */
const texts = (properties: Record<string, string>): Storage =>
  Object.fromEntries(
    Object.entries(properties).map(([id, text]) => [`__substg1.0_${id}001F`, Buffer.from(text, 'utf16le')]),
  );

/** A Windows FILETIME: tenths of a microsecond since 1601. */
const fileTime = (iso: string): bigint => (BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n;

type Message = {
  properties: Record<string, string>;
  sentAt?: string;
  html?: string;
  rtf?: string;
  recipients?: Record<string, string>[];
  attachments?: { name: string; bytes: Uint8Array; type?: string; contentId?: string }[];
};

/** A message as saved by Outlook. */
export function msg({ properties, sentAt, html, rtf, recipients = [], attachments = [] }: Message): Uint8Array {
  const fixed = Buffer.alloc(sentAt ? 48 : 32);
  if (sentAt) {
    fixed.writeUInt32LE(0x00390040, 32);
    fixed.writeUInt32LE(6, 36);
    fixed.writeBigUInt64LE(fileTime(sentAt), 40);
  }
  const header = Buffer.alloc(16);
  if (rtf) {
    header.writeUInt32LE(rtf.length + 12, 0);
    header.writeUInt32LE(rtf.length, 4);
    header.write('MELA', 8);
  }
  const number = (index: number) => index.toString(16).toUpperCase().padStart(8, '0');
  return compoundFile({
    '__nameid_version1.0': {},
    '__properties_version1.0': fixed,
    ...texts(properties),
    ...(html !== undefined && { '__substg1.0_10130102': Buffer.from(html) }),
    ...(rtf !== undefined && { '__substg1.0_10090102': Buffer.concat([header, Buffer.from(rtf, 'latin1')]) }),
    ...Object.fromEntries(
      recipients.map((recipient, index) => [
        `__recip_version1.0_#${number(index)}`,
        { '__properties_version1.0': Buffer.alloc(8), ...texts(recipient) },
      ]),
    ),
    ...Object.fromEntries(
      attachments.map(({ name, bytes, type = '', contentId }, index) => [
        `__attach_version1.0_#${number(index)}`,
        {
          '__properties_version1.0': Buffer.alloc(8),
          '__substg1.0_37010102': bytes,
          ...texts({ '3707': name, '370E': type, ...(contentId && { '3712': contentId }) }),
        },
      ]),
    ),
  });
}
