import type { Extracted } from '../extract.ts';
import { ExtractFailure } from './failure.ts';
import { decodeText, kindOf, refusals } from './kind.ts';
import type { Content } from './load.ts';

const maxCharacters = 10_000_000;
const maxSections = 50_000;

/**
 * Reads content by what it is, whatever its name or type claims. Pure but for time: it takes and gives plain data, so
 * that it can move to a worker thread as it is. Each reader is loaded when first needed.
 */
export async function readContent(content: Content, signal?: AbortSignal): Promise<Extracted> {
  const extracted = await read(content, signal);
  const sections = extracted.sections.filter(({ text }) => text.trim());
  if (!sections.length) throw new ExtractFailure('There is no text in it; pictures of text are not read');
  const characters = sections.reduce((sum, { text }) => sum + text.length, 0);
  if (characters > maxCharacters) throw new ExtractFailure('It holds more than 10 million characters: split it');
  if (sections.length > maxSections) throw new ExtractFailure('It holds more than 50,000 headings: split it');
  return { ...extracted, sections };
}

async function read({ bytes, contentType, url, kind: given }: Content, signal?: AbortSignal): Promise<Extracted> {
  const kind = given ?? kindOf(bytes);
  if (kind === 'pdf') return (await import('./pdf.ts')).readPdf(bytes, signal);
  if (kind in refusals) throw new ExtractFailure(refusals[kind as keyof typeof refusals]);
  const text = given ? new TextDecoder().decode(bytes) : decodeText(bytes, contentType);
  const isHtml = given
    ? given === 'html'
    : /^(text\/html|application\/xhtml)/i.test(contentType) || looksLikeHtml(text);
  return isHtml ? (await import('./html.ts')).readHtml(text, url) : (await import('./markdown.ts')).readMarkdown(text);
}

/** Whether text begins as HTML does, comments and an XML declaration aside. */
function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 4_096).replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, '');
  return /^<(!doctype html|html|head|body|title|meta|main|article|section|div|p|h[1-6]|table|ul|ol)[\s>]/i.test(start);
}
