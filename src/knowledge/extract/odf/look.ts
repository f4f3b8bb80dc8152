import { raised } from '../raised.ts';
import { elements } from '../xml.ts';

/** Removes what a document strikes out, and writes the numbers that it raises or lowers in such digits. */
export function applyLook(content: Document): void {
  const looks = new Map<string, { isStruck: boolean; how: 'sup' | 'sub' | null }>();
  for (const style of elements(content, 'style:style')) {
    const properties = style.getElementsByTagName('style:text-properties')[0];
    const struck = ['style', 'type'].map((name) => properties?.getAttribute(`style:text-line-through-${name}`));
    const position = properties?.getAttribute('style:text-position') ?? '';
    looks.set(style.getAttribute('style:name') ?? '', {
      isStruck: struck.some((look) => look && look !== 'none'),
      how: /^(super|[1-9])/.test(position) ? 'sup' : /^(sub|-)/.test(position) ? 'sub' : null,
    });
  }
  for (const span of elements(content, 'text:span')) {
    const look = looks.get(span.getAttribute('text:style-name') ?? '');
    const text = look?.how ? raised(span.textContent ?? '', look.how) : null;
    if (look?.isStruck) span.remove();
    else if (text !== null) span.textContent = text;
  }
}
