import { ExtractFailure } from '../../../sandbox/extract-failure.ts';

const maxCharacters = 5_000_000;
const maxDepth = 2_000;
const maxNodes = 400_000;
// These close implicitly or have no children, so they do not nest.
const flat = new Set(
  'p li dt dd td th tr option area base br col embed hr img input link meta param source track wbr path'.split(' '),
);

/**
 * Throws `ExtractFailure` for HTML that would take long to parse: the parser's time grows with the square of the
 * nesting, and by about 10 µs per tag, entity or stray `<`.
 */
export function refuseCostlyHtml(html: string): void {
  if (html.length > maxCharacters) throw new ExtractFailure('The page has more than 5 million characters');
  let nodes = 0;
  for (const character of html) if (character === '<' || character === '&') nodes++;
  if (nodes > maxNodes) throw new ExtractFailure('The page has too many elements to be read');
  let depth = 0;
  for (const [, closes, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (flat.has(name.toLowerCase())) continue;
    depth = Math.max(0, depth + (closes ? -1 : 1));
    if (depth > maxDepth) throw new ExtractFailure('The page is too deeply nested to be read');
  }
  refuseManyAttributes(html);
}

/** Whether HTML that is a part of a page is accepted by `refuseCostlyHtml`. */
export function isReadable(html: string): boolean {
  try {
    refuseCostlyHtml(html);
    return true;
  } catch (error) {
    if (error instanceof ExtractFailure) return false;
    throw error;
  }
}

/** Throws `ExtractFailure` for XML that would take more than about 20 seconds to parse. */
export function refuseCostlyXml(xml: string): void {
  let depth = 0;
  let nodes = 0;
  for (const [, closes, alone] of xml.matchAll(/<(\/?)[a-z_][^<>]*?(\/?)>/gi)) {
    depth = Math.max(0, depth + (closes ? -1 : alone ? 0 : 1));
    if (++nodes > 2_000_000) throw new ExtractFailure('The file has more than 2 million elements: split it');
    if (depth > maxDepth) throw new ExtractFailure('The file is too deeply nested to be read');
  }
  refuseManyAttributes(xml);
}

/**
 * Whether Readability finishes in about a second: it takes about 15 µs per element, plus 30 ns times the square of its
 * depth.
 */
export function isSimple(document: Document): boolean {
  let depth = 0;
  let elements = 0;
  let cost = 0;
  let node: Element | null = document.documentElement;
  while (node) {
    cost += depth * depth;
    if (cost > 30_000_000 || ++elements > 50_000) return false;
    if (node.firstElementChild) {
      node = node.firstElementChild;
      depth++;
      continue;
    }
    while (node && !node.nextElementSibling) {
      node = node.parentElement;
      depth--;
    }
    node = node?.nextElementSibling ?? null;
  }
  return true;
}

/** The parser compares each attribute of a tag with the previous ones, and needs about 100 bytes for each. */
const maxOfTag = 256;
const maxTotal = 500_000;

/** Throws `ExtractFailure` for markup with more attributes than any real page has, in one tag or in total. */
export function refuseManyAttributes(markup: string): void {
  let all = 0;
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at)) {
    at += 1;
    if (!startsName.test(markup.charAt(at))) continue;
    const tag = readTag(markup, at);
    all += tag.attributes;
    if (tag.attributes > maxOfTag || all > maxTotal) throw new ExtractFailure('It has tags with too many attributes');
    at = tag.end;
  }
}

const startsName = /[a-z_]/i;

/**
 * Scans the tag whose name starts at `start`: returns its end, and how many attributes the parser will see. Stops
 * counting one past the limit.
 */
function readTag(markup: string, start: number): { end: number; attributes: number } {
  // -1, as the tag's name is counted like an attribute.
  let attributes = -1;
  let isWord = false;
  let isValue = false;
  let at = start;
  for (; at < markup.length && attributes <= maxOfTag; at++) {
    const code = markup.charCodeAt(at);
    if (code === 0x3e /* > */) break;
    if (code <= 0x20 || (code === 0x2f /* / */ && !isValue)) {
      // Spaces around "=" separate nothing.
      if (isWord) isValue = false;
      isWord = false;
    } else if (code === 0x3d /* = */ && !(isWord && isValue)) {
      isValue = true;
      isWord = false;
    } else if (!isWord && isValue && (code === 0x22 || code === 0x27)) {
      const end = markup.indexOf(String.fromCharCode(code), at + 1);
      if (end < 0) return { end: markup.length, attributes };
      at = end;
      isValue = false;
    } else if (!isWord) {
      isWord = true;
      if (!isValue) attributes++;
    }
  }
  return { end: at, attributes };
}
