import { elements, parseXml } from '../xml.ts';

/** The styles of a document that change what its text means. */
export type Styles = {
  /** The level of a heading that a paragraph's style makes it: 1 for `Title`, 2 for `Subtitle`. */
  headingOf(style: string | null): number | null;
  /** Whether a level of a list, counted from 1, is numbered. */
  isNumbered(style: string | null, level: number): boolean;
};

const headings: Record<string, number> = { Title: 1, Subtitle: 2 };

/** Reads the automatic styles of the content, and the named ones in `styles.xml`. */
export function stylesOf(content: Document, stylesXml: string | undefined): Styles {
  const documents = [content, ...(stylesXml ? [parseXml(stylesXml)] : [])];
  const parents = new Map<string, string>();
  const numbered = new Map<string, Set<number>>();
  for (const document of documents) {
    for (const style of elements(document, 'style:style')) {
      parents.set(style.getAttribute('style:name') ?? '', style.getAttribute('style:parent-style-name') ?? '');
    }
    for (const list of elements(document, 'text:list-style')) {
      const levels = [...list.children].filter(
        (level) => level.localName === 'text:list-level-style-number' && level.getAttribute('style:num-format'),
      );
      numbered.set(
        list.getAttribute('style:name') ?? '',
        new Set(levels.map((level) => Number(level.getAttribute('text:level')))),
      );
    }
  }
  return {
    headingOf(style) {
      // An automatic style has one parent; a chain of named ones is short.
      for (let name = style ?? '', steps = 0; name && steps < 10; name = parents.get(name) ?? '', steps++) {
        const level = headings[name];
        if (level) return level;
      }
      return null;
    },
    isNumbered: (style, level) => numbered.get(style ?? '')?.has(level) ?? false,
  };
}
