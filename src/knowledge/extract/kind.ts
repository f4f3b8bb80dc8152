import { listZip } from './zip.ts';

/** The error for each kind of content that is recognised but not supported. */
export const refusals = {
  locked: 'The file is locked with a password',
  oldOffice: 'Old Excel and PowerPoint files (.xls, .ppt) are not read: save it as .xlsx, .pptx or PDF',
  zip: 'It is a ZIP file: add the files in it one by one',
  audio: 'It is an audio file: add it as a source of type audio',
  media: 'It is a picture or a film: only documents, tables, presentations, books, pages and text are read',
  unknown:
    'It is no kind of file that is read: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, EPUB, CSV, HTML, Markdown, ' +
    'e-mail (.eml, .msg) or text',
};
type Refused = keyof typeof refusals;
type Kind =
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'epub'
  | 'openDocument'
  | 'richText'
  | 'doc'
  | 'outlook'
  | 'text'
  | Refused;

export const isRefused = (kind: Kind): kind is Refused => kind in refusals;

const audio = /^(ID3|\xff[\xfb\xf3\xf2\xf1\xf9\xfa]|OggS|fLaC|RIFF.{4}WAVE|.{4}ftypM4[AB]|FORM.{4}AIFF|#!AMR)/s;
const media = /^(\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0\0|II\*\0|MM\0\*|RIFF|.{4}ftyp|\x1aE\xdf\xa3)/s;

/** Whether content is audio or video, and so can be transcribed. */
export const isRecording = (bytes: Uint8Array): boolean => {
  const head = latin(bytes, 0, 64);
  return audio.test(head) || /^(.{4}ftyp|\x1aE\xdf\xa3)/s.test(head);
};

/** Detects the kind of content from its first bytes and, for a ZIP file, from the names in it. */
export function kindOf(bytes: Uint8Array): Kind {
  const head = latin(bytes, 0, 8_192);
  // PDF readers accept some bytes before the header, and such files exist.
  if (head.slice(0, 1_024).includes('%PDF-')) return 'pdf';
  if (/^PK(\x03\x04|\x05\x06)/.test(head)) return kindOfZip(bytes);
  if (head.startsWith('\xd0\xcf\x11\xe0')) return kindOfCompoundFile(bytes);
  if (head.startsWith('{\\rtf')) return 'richText';
  if (audio.test(head)) return 'audio';
  if (media.test(head)) return 'media';
  if (/^(\xff\xfe|\xfe\xff)/.test(head)) return 'text';
  return /[\0-\x06\x0e-\x1a]/.test(head) ? 'unknown' : 'text';
}

function kindOfZip(bytes: Uint8Array): Kind {
  const names = listZip(bytes);
  if (names.has('word/document.xml') || names.has('word/document2.xml')) return 'docx';
  if (names.has('ppt/presentation.xml')) return 'pptx';
  if (names.has('xl/workbook.xml')) return 'xlsx';
  if (names.has('META-INF/container.xml')) return 'epub';
  return names.has('content.xml') && names.has('META-INF/manifest.xml') ? 'openDocument' : 'zip';
}

/**
 * Detects the kind of a compound file (CFB) from the names of its streams, which an embedded file of another kind may
 * also have. Office wraps a file with a password in one.
 */
function kindOfCompoundFile(bytes: Uint8Array): Kind {
  const file = latin(bytes, 0, bytes.length);
  const has = (stream: string) => file.includes(stream.split('').join('\0'));
  if (has('EncryptedPackage')) return 'locked';
  if (has('__properties_version1.0')) return 'outlook';
  return has('WordDocument') ? 'doc' : 'oldOffice';
}

const latin = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(bytes.length, end) - start).toString('latin1');
