import { elements } from '../xml.ts';

/** The styles of a document that change what its text means. */
export type Styles = {
  /** The level of a heading that a paragraph's style makes it: 1 for `Title`, 2 for `Subtitle`. */
  headingOf(style: string | null): number | null;
  /** Whether a level of a list, counted from 1, is numbered. */
  isNumbered(style: string | null, level: number): boolean;
};

const headings: Record<string, number> = { Title: 1, Subtitle: 2 };

/**
 * What a style, or else one that it is based on, says of something. `documents` are `styles.xml`, if there is one, and
 * then the content: of two styles with one name, that of the page's header and that of the content, the latter counts.
 */
export function inherited<T>(
  documents: Document[],
  own: (style: Element) => T | undefined,
): (style: string | null) => T | undefined {
  const styles = new Map<string, { base: string; says: T | undefined }>();
  for (const style of documents.flatMap((document) => elements(document, 'style:style'))) {
    const base = style.getAttribute('style:parent-style-name') ?? '';
    styles.set(style.getAttribute('style:name') ?? '', { base, says: own(style) });
  }
  return (name) => {
    let style = styles.get(name ?? '');
    // An automatic style has one parent; a chain of named ones is short.
    for (let steps = 0; style && style.says === undefined && steps < 10; steps++) style = styles.get(style.base);
    return style?.says;
  };
}

/** Reads the named styles and the automatic ones of the content. `documents`: see `inherited`. */
export function stylesOf(documents: Document[]): Styles {
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
