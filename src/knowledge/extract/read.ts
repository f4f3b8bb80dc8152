import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import { isRefused, kindOf, refusals } from './kind.ts';
import type { ReadPart } from './mail/attached.ts';
import type { Content, Extracted } from './types.ts';

const maxCharacters = 10_000_000;
const maxSections = 50_000;

/**
 * Reads content by its detected kind, whatever its name or type claims. Takes and returns plain data, since it runs in
 * a child process. Each reader is loaded on first use. Rejects with `ExtractFailure`.
 */
export async function readContent(content: Content, onProgress: OnProgress = () => {}): Promise<Extracted> {
  const extracted = await read(content, onProgress);
  const sections = extracted.sections.filter(({ text }) => text.trim());
  if (!sections.length && !extracted.withoutText?.length)
    throw new ExtractFailure('It contains no text; text in images is not read');
  const characters = sections.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > maxCharacters) throw new ExtractFailure('It has more than 10 million characters: split it');
  if (sections.length > maxSections) throw new ExtractFailure('It has more than 50,000 headings: split it');
  return { ...extracted, sections };
}

/** How deep e-mails in e-mails are read. */
const maxDepth = 3;

async function read(content: Content, onProgress: OnProgress, depth = 0): Promise<Extracted> {
  const { bytes, contentType, kind: given } = content;
  const kind = given ? 'text' : kindOf(bytes);
  if (isRefused(kind)) throw new ExtractFailure(refusals[kind]);
  const readPart: ReadPart = async (part) => {
    if (depth >= maxDepth) throw new ExtractFailure('It is too deeply nested to be read');
    return read({ ...part, url: null, kind: null }, () => {}, depth + 1);
  };
  switch (kind) {
    case 'pdf':
      return (await import('./pdf/pdf.ts')).readPdf(bytes, onProgress, content.pictures);
    case 'docx':
      return (await import('./docx/docx.ts')).readDocx(bytes);
    case 'pptx':
      return (await import('./pptx.ts')).readPptx(bytes);
    case 'xlsx':
      return (await import('./xlsx/xlsx.ts')).readXlsx(bytes);
    case 'epub':
      return (await import('./epub.ts')).readEpub(bytes);
    case 'openDocument':
      return (await import('./odf/odf.ts')).readOdf(bytes);
    case 'richText':
      return (await import('./rtf/rtf.ts')).readRtf(bytes);
    case 'doc':
      return (await import('./doc.ts')).readDoc(bytes);
    case 'outlook':
      return (await import('./mail/outlook.ts')).readOutlook(bytes, readPart);
    case 'text': {
      const mail = given ? null : await import('./mail/mail.ts');
      if (mail?.isMail(bytes)) return mail.readMail(bytes, readPart);
      if (mail?.isMailbox(bytes)) return mail.readMailbox(bytes, readPart);
      const { text, warning } = given
        ? { text: new TextDecoder().decode(bytes), warning: undefined }
        : (await import('./encoding.ts')).decodeText(bytes, contentType);
      const extracted = await readText(text, content);
      return warning ? { ...extracted, warnings: [warning, ...(extracted.warnings ?? [])] } : extracted;
    }
  }
}

async function readText(text: string, { contentType, url, kind: given, ext, links }: Content): Promise<Extracted> {
  const isHtml = given
    ? given === 'html'
    : /^(text\/html|application\/xhtml)/i.test(contentType) || looksLikeHtml(text);
  if (isHtml) return (await import('./html/html.ts')).readHtml(text, url, links);
  const known = await readKnown(text);
  if (known) return known;
  const markedUp = await (await import('./plain/marked-up.ts')).readMarkedUp(text, { ext: ext ?? null, contentType });
  if (markedUp) return markedUp;
  const isDeclaredCsv = /^text\/(csv|tab-separated-values)/i.test(contentType) || /^\.?(csv|tsv)$/i.test(ext ?? '');
  const table = (await import('./tables/csv.ts')).readCsv(text, isDeclaredCsv);
  return table ?? (await import('./plain/markdown.ts')).readMarkdown(text);
}

/** Reads text of a format that says what it is; null for any other. */
async function readKnown(text: string): Promise<Extracted | null> {
  const start = text.slice(0, 1_000).replace(/^[\ufeff\s]+/, '');
  if (/^BEGIN:VCARD/i.test(start)) return (await import('./plain/vcards.ts')).readVcards(text);
  if (/^BEGIN:VCALENDAR/i.test(start)) return (await import('./plain/calendars.ts')).readCalendars(text);
  if (/^[[{]/.test(start)) {
    const json = (await import('./plain/json.ts')).readJson(text);
    if (json) return json;
  }
  if (start.startsWith('<')) {
    const { readXml, rootOf } = await import('./plain/xml-text.ts');
    const root = rootOf(text);
    if (root) return readXml(text, root);
  }
  const { isSubtitles, readSubtitles } = await import('./plain/subtitles.ts');
  return isSubtitles(text) ? readSubtitles(text) : null;
}

/** Whether text starts like HTML, ignoring comments and an XML declaration. */
function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 4_096).replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, '');
  // That of JATS or DocBook; HTML has no such element there.
  if (/^<article[^<>]*>\s*<(front|processing-meta|title|info|articleinfo|sec|sect1|para)[\s>]/.test(start))
    return false;
  return /^<(!doctype html|html|head|body|title|meta|main|article|section|div|p|h[1-6]|table|ul|ol)[\s>]/i.test(start);
}
