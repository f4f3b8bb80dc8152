import { escapeXml } from '../docx/docx-spans.ts';

const list = (names: string) => names.split(' ');

/**
 * The first elements of documents that are XML (DocBook, DITA, JATS, TEI and FictionBook), and what one of them has
 * among its children, by which it is not a row of values of that name.
 */
const documents = new Map(
  [
    'FictionBook body description',
    'TEI text teiHeader',
    'article front body sec sect1 section info articleinfo para',
    'book chapter part preface article appendix para bookinfo',
    'part chapter article appendix',
    'chapter section sect1 para',
    'appendix section sect1 para',
    'set book',
    'refentry refsect1 refsection refnamediv',
    'topic body shortdesc',
    'concept conbody',
    'task taskbody',
    'reference refbody',
  ].map((line): [string, string[]] => {
    const [root = '', ...parts] = list(line);
    return [root, parts];
  }),
);
/** What is written as HTML: the element of HTML, and those of these formats. */
const forms = new Map(
  [
    'p para simpara formalpara stanza lg text-author shortdesc cmd',
    'ul itemizedlist simplelist sl choices list',
    'ol orderedlist procedure steps substeps',
    'li listitem member step substep sli choice item list-item',
    'table informaltable simpletable',
    'tr row strow sthead',
    'td entry stentry cell',
    'pre programlisting screen literallayout codeblock preformat',
    'span v l',
    ...list('thead tbody th dl dt dd sup sub br'),
  ].flatMap((line) => {
    const [html = '', ...names] = list(line);
    return [html, ...names].map((name): [string, string] => [name, html]);
  }),
);
/** Each is a line. */
const verses = new Set(['v', 'l']);
/** What a reader does not see, or what only says who made it, and when. */
const leftOut = new Set(
  list(
    'indexterm remark binary description prolog metadata related-links teiHeader journal-meta article-id history permissions pub-date contrib-group aff article-categories kwd-group counts custom-meta-group copyright legalnotice author authorgroup editor pubdate revhistory colspec col',
  ),
);
/** What may have a title, one level below that of what it is in. */
const nests =
  /^(set|book|part|chapter|appendix|preface|article|body|refentry|refsect\d|refsection|sect\d|section|simplesect|topic|concept|task|reference|sec|poem|div\d?)$/;
/** Where the title of such an element may stand apart. */
const aboutIt = /^(title-group|article-meta|front|\w*info|titlepage)$/;

const titles = /^(title|subtitle|article-title|head)$/;

const localName = (element: Element): string => element.localName.slice(element.localName.indexOf(':') + 1);

/** Whether XML whose first element has this name may be a document. */
export const mayBeDocument = (root: string): boolean => documents.has(root);

/** Whether XML is a document, text with headings, and not rows of values. */
export function isDocument(root: Element | null): root is Element {
  const parts = root ? documents.get(localName(root)) : undefined;
  return !!root && !!parts && [...root.children].some((child) => parts.includes(localName(child)));
}

/** The HTML of such a document: headings, paragraphs, lists and tables. */
export function markupOf(root: Element): string {
  const parts: string[] = [];
  const walk = (element: Element, level: number, parent: { name: string; hasText: boolean }): void => {
    const name = localName(element);
    if (leftOut.has(name) && !(parent.hasText && /^(author|editor)$/.test(name))) return;
    if (name === 'math') {
      const plain = element.outerHTML.replaceAll(/<!\[CDATA\[(.*?)\]\]>/gs, (_, text: string) => escapeXml(text));
      parts.push(plain.replaceAll(/(<\/?)[\w.-]+:/g, '$1'));
      return;
    }
    if (titles.test(name) && (nests.test(parent.name) || aboutIt.test(parent.name))) {
      const tag = `h${Math.min(Math.max(name === 'subtitle' ? level + 1 : level, 1), 6)}`;
      parts.push(`<${tag}>${escapeXml(lineOf(element))}</${tag}>`);
      return;
    }
    const depth = nests.test(name) ? level + 1 : level;
    const children = [...element.childNodes];
    const hasText = children.some(({ nodeType, textContent }) => isText(nodeType) && textContent?.trim());
    // What stands among text is a part of its line.
    const tag = parent.name === 'sthead' ? 'th' : (forms.get(name) ?? (parent.hasText ? 'span' : 'div'));
    // The group of a table's columns has no counterpart in HTML, where it would break the table.
    if (name !== 'tgroup') parts.push(`<${tag}${spansOf(element)}>`);
    for (const child of children) {
      if (child.nodeType === 1) walk(child as Element, depth, { name, hasText });
      else if (isText(child.nodeType)) parts.push(escapeXml(child.textContent ?? ''));
    }
    if (name !== 'tgroup') parts.push(`</${tag}>${verses.has(name) ? '<br>' : ''}`);
  };
  walk(root, 0, { name: '', hasText: false });
  return parts.join('');
}

const isText = (nodeType: number): boolean => nodeType === 3 || nodeType === 4;

/** How many columns and rows a cell takes. */
const spansOf = (element: Element): string =>
  ['colspan', 'rowspan']
    .map((name) => {
      const span = Number.parseInt(element.getAttribute(name) ?? '', 10);
      return span > 1 ? ` ${name}="${span}"` : '';
    })
    .join('');

/** A title may consist of paragraphs. */
const lineOf = (element: Element): string =>
  [...element.childNodes]
    .map(({ textContent }) => textContent?.trim())
    .filter(Boolean)
    .join(' ');
