import { lazy } from '../../../core/lazy.ts';
import { cleanLine } from '../clean.ts';
import { drawnLines, elements, parseXml, relationsOf } from '../xml.ts';
import { escapeXml, findElements, replaceElements } from './docx-spans.ts';

type Parts = Map<string, string>;

/**
 * Rewrites the text boxes and SmartArt of a Word document to the old form of boxes, which mammoth reads: their
 * paragraphs follow the paragraph that contains them. Word writes each box twice, for newer and older programs; only
 * one is kept.
 */
export function withTextBoxes(xml: string, path: string, parts: Parts): string {
  const links = lazy(() => relationsOf(parts, path));
  const readDiagram = (id: string): string => diagram(parts.get(links().get(id) ?? ''));
  const asBox = (drawing: string): string => {
    const newer = findElements(drawing, 'mc:Choice')[0] ?? drawing;
    const texts = findElements(newer, 'w:txbxContent');
    const ids = Array.from(newer.matchAll(/<dgm:relIds\s[^<>]*?r:dm="([^"]{1,100})"/g), ([, id = '']) => id);
    const boxes = [...texts, ...ids.map(readDiagram)].filter(Boolean);
    return boxes.length > 0 ? `<w:pict>${boxes.join('')}</w:pict>` : drawing;
  };
  return replaceElements(replaceElements(xml, 'mc:AlternateContent', asBox), 'w:drawing', asBox);
}

/** The texts of a diagram, one paragraph each, in document order. */
function diagram(xml: string | undefined): string {
  if (!xml) return '';
  const texts = elements(parseXml(xml), 'dgm:pt').flatMap((point) => {
    const isNode = /^(node|asst)?$/.test(point.getAttribute('type') ?? '');
    return (isNode && cleanLine(drawnLines(point).join(' '))) || [];
  });
  const paragraphs = texts.map((text) => `<w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`);
  return paragraphs.length > 0 ? `<w:txbxContent>${paragraphs.join('')}</w:txbxContent>` : '';
}
