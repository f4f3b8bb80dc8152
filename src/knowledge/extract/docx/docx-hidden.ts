import { elements, parseXml } from '../xml.ts';
import { replaceElements } from './docx-spans.ts';

/** Text boxes nest paragraphs in paragraphs; hidden text that is deeper is kept. */
const maxDepth = 5;

/** Whether text in a style is hidden, by the style's id; undefined if neither it nor its base styles say. */
type HiddenStyles = Map<string, boolean>;

/** Reads which styles hide their text, in `word/styles.xml`. */
export function hiddenStyles(xml: string | undefined): HiddenStyles {
  const own = new Map<string, { base: string; hides: boolean | undefined }>();
  for (const style of xml?.includes('<w:vanish') ? elements(parseXml(xml), 'w:style') : []) {
    const base = style.getElementsByTagName('w:basedOn')[0]?.getAttribute('w:val') ?? '';
    const vanish = style.getElementsByTagName('w:vanish')[0];
    const hides = vanish && !/^(0|false|off)$/.test(vanish.getAttribute('w:val') ?? '');
    own.set(style.getAttribute('w:styleId') ?? '', { base, hides });
  }
  const styles: HiddenStyles = new Map();
  for (const id of own.keys()) {
    let style = own.get(id);
    for (let steps = 0; style?.hides === undefined && steps < 10; steps++) style = own.get(style?.base ?? '');
    if (style?.hides !== undefined) styles.set(id, style.hides);
  }
  return styles;
}

/** Removes the hidden text (`w:vanish`) of a Word document. `passages`: in how many paragraphs there was some. */
export function withoutHidden(xml: string, styles: HiddenStyles): { xml: string; passages: number } {
  if (!xml.includes('<w:vanish') && styles.size === 0) return { xml, passages: 0 };
  let passages = 0;
  const shown = (part: string, depth: number): string =>
    replaceElements(part, 'w:p', (paragraph) => {
      const [properties] = /^<w:p[\s>][^<]*<w:pPr>[\s\S]*?<\/w:pPr>/.exec(paragraph) ?? [];
      const isHidden = styles.get(/<w:pStyle w:val="([^"]*)"/.exec(properties ?? '')?.[1] ?? '') ?? false;
      let hasHidden = false;
      const kept = replaceElements(paragraph, 'w:r', (run) => {
        if (hides(run, styles) ?? isHidden) {
          hasHidden ||= /<w:t(\s[^>]*)?>[^<]*\S[^<]*</.test(run);
          return '';
        }
        return depth < maxDepth && run.includes('<w:txbxContent') ? shown(run, depth + 1) : run;
      });
      if (hasHidden) passages++;
      return kept;
    });
  return { xml: shown(xml, 0), passages };
}

/** Whether a run says that it is hidden, or its style does. */
function hides(run: string, styles: HiddenStyles): boolean | undefined {
  const properties = /^<w:r(?:\s[^>]*)?>\s*<w:rPr>([\s\S]*?)<\/w:rPr>/.exec(run)?.[1] ?? '';
  const vanish = /<w:vanish(?:\s+w:val="([^"]*)")?\s*\/>/.exec(properties);
  if (vanish) return !/^(0|false|off)$/.test(vanish[1] ?? '');
  return styles.get(/<w:rStyle w:val="([^"]*)"/.exec(properties)?.[1] ?? '');
}
