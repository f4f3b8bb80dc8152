import { scriptDigits } from '../script-digits.ts';
import { walkXml } from './sax.ts';

/** The text of a cell. `hasLooks`: parts of it have a look of their own, whatever the cell's. */
export type CellText = { text: string; hasLooks: boolean };
type Attributes = Record<string, string>;

/**
 * Collects a text of parts with different looks: without what is struck out, readings of Japanese words and control
 * characters.
 */
export function createCellText() {
  let own: CellText = { text: '', hasLooks: false };
  let part = '';
  let isText = false;
  let isPhonetic = false;
  let isStruck = false;
  let raised: 'sup' | 'sub' | null = null;
  return {
    open(name: string, { val }: Attributes): void {
      if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
      else if (name === 'rPr') own.hasLooks = true;
      else if (name === 'strike') isStruck = isOn(val);
      else if (name === 'vertAlign') raised = val === 'superscript' ? 'sup' : val === 'subscript' ? 'sub' : null;
    },
    text(words: string): void {
      if (isText && !isStruck) part += words;
    },
    close(name: string): void {
      if (name === 'rPh') isPhonetic = false;
      if (name !== 't') return;
      own.text += (raised && scriptDigits(part, raised)) ?? part;
      part = '';
      isText = false;
      isStruck = false;
      raised = null;
    },
    take(): CellText {
      const taken = { ...own, text: unescaped(own.text) };
      own = { text: '', hasLooks: false };
      return taken;
    },
  };
}

/** The texts that cells share. */
export function sharedStrings(xml: string | undefined): CellText[] {
  const strings: CellText[] = [];
  const collected = createCellText();
  walkXml(xml ?? '', {
    open: collected.open,
    text: collected.text,
    close(name) {
      collected.close(name);
      if (name === 'si') strings.push(collected.take());
    },
  });
  return strings;
}

/** The cell styles, by index, whose font is struck out. */
export function struckStyles(xml: string | undefined): Set<string> {
  const fonts: boolean[] = [];
  const struck = new Set<string>();
  let within = '';
  let styles = 0;
  walkXml(xml?.includes('strike') ? xml : '', {
    open(name, { val, fontId }) {
      if (name === 'fonts' || name === 'cellXfs') within = name;
      else if (name === 'font' && within === 'fonts') fonts.push(false);
      else if (name === 'strike' && within === 'fonts') fonts[fonts.length - 1] = isOn(val);
      else if (name === 'xf' && within === 'cellXfs') {
        if (fonts[Number(fontId)]) struck.add(String(styles));
        styles++;
      }
    },
    close(name) {
      if (name === within) within = '';
    },
  });
  return struck;
}

const isOn = (value: string | undefined): boolean => value !== '0' && value !== 'false';

/** Control characters are written `_x000D_`, and a text that looks like one `_x005F_x000D_`. */
export const unescaped = (text: string): string =>
  text.replace(/_x([0-9a-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
