const maxSpaces = 100;

/** Elements within a paragraph whose text does not belong to it. */
const apart =
  /^(text:note|text:ruby-text|text:tracked-changes|office:annotation|office:forms|draw:.*|presentation:.*)$/;

/** The text of a paragraph, without its notes, comments and boxes. */
export function paragraphText(paragraph: Element): string {
  let text = '';
  const walk = (node: Node): void => {
    // White space is collapsed, as in HTML; `text:s` keeps it.
    if (node.nodeType === 3) text += (node.textContent ?? '').replace(/\s+/g, ' ');
    if (node.nodeType !== 1) return;
    const element = node as Element;
    const name = element.localName;
    if (apart.test(name)) return;
    if (name === 'text:s') text += ' '.repeat(Math.min(maxSpaces, Number(element.getAttribute('text:c')) || 1));
    else if (name === 'text:tab') text += '\t';
    else if (name === 'text:line-break') text += '\n';
    else for (const child of element.childNodes) walk(child);
  };
  for (const child of paragraph.childNodes) walk(child);
  return text.trim();
}

/** The paragraphs and headings below an element, however deep, in document order; not those of notes and comments. */
export function paragraphsIn(element: Element): string[] {
  return [...element.children].flatMap((child): string[] => {
    if (/^text:(p|h)$/.test(child.localName)) return [paragraphText(child), ...boxesIn(child).flatMap(paragraphsIn)];
    return /^(office:annotation|text:note|text:tracked-changes|presentation:notes)$/.test(child.localName)
      ? []
      : paragraphsIn(child);
  });
}

/** The boxes, shapes and embedded objects anchored in a paragraph, outermost first. */
export function boxesIn(paragraph: Element): Element[] {
  return [...paragraph.children].flatMap((child) =>
    child.localName.startsWith('draw:') && child.localName !== 'draw:a' ? [child] : boxesIn(child),
  );
}
