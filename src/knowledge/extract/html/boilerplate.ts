import { isInline, isLeftOut, nameOf } from './html-text.ts';

/** The number of characters outside links that makes a block more than a menu. */
const prose = 80;
/** A block is a menu if at least this share of its text is in links, and it has at least this many. */
const density = 0.75;
const minLinks = { around: 3, inside: 10 };
/** An aside within the article is part of it if less than this share of its text is in links. */
const asideDensity = 0.3;

type Measure = { text: number; linked: number; links: number; prices: number; hasProse: boolean };

/**
 * Removes everything but the main content from a document: navigation, footers, asides, and blocks that consist mainly
 * of links. Within the article only long lists of links are removed: a short one may be the content, and so may prices.
 */
export function removeBoilerplate(document: Document): void {
  const measures = new Map<Element, Measure>();
  const { body } = document;
  measure(body, false, measures);
  const walk = (parent: Element, isInside: boolean): void => {
    for (const element of Array.from(parent.children)) {
      const found = measures.get(element);
      if (!found) continue;
      if (isBoilerplate(element, found, isInside)) element.remove();
      else walk(isPeripheral(element) ? asBlock(element) : element, isInside || isMain(element));
    }
  };
  walk(body, isMain(body));
}

/** Readability removes these wherever they are, so those that belong to the content become plain blocks. */
const isPeripheral = (element: Element): boolean => ['aside', 'footer'].includes(nameOf(element));

function asBlock(element: Element): Element {
  const block = element.ownerDocument.createElement('div');
  block.append(...element.childNodes);
  element.replaceWith(block);
  return block;
}

const isMain = (element: Element): boolean =>
  ['main', 'article'].includes(nameOf(element)) || element.getAttribute('role') === 'main';

const removableTags = new Set(['div', 'section', 'ul', 'ol', 'dl', 'p', 'header']);

function isBoilerplate(element: Element, found: Measure, isInside: boolean): boolean {
  const name = nameOf(element);
  const role = element.getAttribute('role') ?? '';
  const { text, linked, links, prices, hasProse } = found;
  if (name === 'nav' || role === 'navigation' || role === 'contentinfo') return true;
  if (name === 'footer') return !/^(blockquote|figure)$/.test(nameOf(element.parentElement ?? element));
  if (name === 'aside' || role === 'complementary') return !isInside || linked >= text * asideDensity;
  if (!removableTags.has(name) || isMain(element) || hasProse || prices > 1) return false;
  return links >= (isInside ? minLinks.inside : minLinks.around) && linked >= text * density;
}

const price = /\p{Sc}|\b(?:EUR|USD|BRL|GBP)\b/gu;

/** Measures an element and its descendants, each once. Text between blocks counts as text of the enclosing element. */
function measure(element: Element, isLink: boolean, measures: Map<Element, Measure>): Measure {
  const all: Measure = { text: 0, linked: 0, links: 0, prices: 0, hasProse: false };
  let own = 0;
  for (const child of element.childNodes) {
    if (child.nodeType === 3) {
      const text = (child.textContent ?? '').replace(/\s+/g, ' ').trim();
      all.text += text.length;
      if (isLink) all.linked += text.length;
      else own += text.length;
      all.prices += text.match(price)?.length ?? 0;
    } else if (child.nodeType === 1 && !isLeftOut(child as Element)) {
      const name = nameOf(child as Element);
      const isAnchor = name === 'a' && (child as Element).hasAttribute('href');
      const inner = measure(child as Element, isLink || isAnchor, measures);
      all.text += inner.text;
      all.linked += inner.linked;
      all.links += inner.links + (isAnchor ? 1 : 0);
      all.prices += inner.prices;
      all.hasProse ||= inner.hasProse;
      if (isInline(name)) own += inner.text - inner.linked;
    } else if (child.nodeType === 1) measures.set(child as Element, nothing);
  }
  all.hasProse ||= own >= prose;
  measures.set(element, all);
  return all;
}

const nothing: Measure = { text: 0, linked: 0, links: 0, prices: 0, hasProse: false };
