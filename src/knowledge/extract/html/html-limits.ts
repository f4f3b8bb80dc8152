import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import { refuseManyAttributes } from '../attribute-limits.ts';

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
