import { addLocale, format, getFormatDateInfo, isDateFormat } from 'numfmt';
import { walkXml } from './sax.ts';

/** A number as the workbook displays it, given the index of its cell's style. */
export type FormatNumber = (value: number, style: string | undefined) => string;

/** The built-in formats, by id, that change how a number reads; 14 to 22 and 45 to 47 are dates and times. */
const builtIn: Record<string, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'yyyy-mm-dd',
  16: 'yyyy-mm-dd',
  17: 'yyyy-mm',
  18: 'h:mm',
  19: 'h:mm',
  20: 'h:mm',
  21: 'h:mm',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0;-#,##0',
  38: '#,##0;-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;-#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
};

/**
 * Thousands are not separated and decimals have a point, whatever the language: 1,234 means two numbers in two
 * countries.
 */
const locale = 'plain';
addLocale({ group: '', decimal: '.' }, locale);

/** Days between the two epochs of Excel. */
const days1904 = 1_462;

/** Reads the formats of a workbook's styles. Dates are written `2026-05-12`, times `14:30`, elapsed ones `36:30`. */
export function numberFormats(stylesXml: string | undefined, is1904: boolean): FormatNumber {
  const formats = formatsOf(stylesXml ?? '');
  const written = new Map<string, (value: number) => string>();
  return (value, style) => {
    const pattern = formats[Number(style)] ?? 'General';
    const write = written.get(pattern) ?? writer(pattern, is1904);
    written.set(pattern, write);
    return write(value);
  };
}

/** The format of each cell style. */
function formatsOf(xml: string): string[] {
  const own = new Map<string, string>();
  const styles: string[] = [];
  let isCells = false;
  walkXml(xml, {
    open(name, attributes) {
      if (name === 'numFmt') own.set(attributes.numFmtId ?? '', attributes.formatCode ?? '');
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells) styles.push(attributes.numFmtId ?? '');
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return styles.map((id) => own.get(id) || builtIn[id] || 'General');
}

function writer(pattern: string, is1904: boolean): (value: number) => string {
  if (/^(general|@)$/i.test(pattern)) return plain;
  if (isDateFormat(pattern) && !/\[[hms]+\]/i.test(pattern)) return (value) => dateText(value, pattern, is1904);
  // The language of a currency or a date would bring its separators back.
  const unlocalized = pattern.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_, sign) => (sign ? `[$${sign}]` : ''));
  return (value) => {
    try {
      return format(unlocalized, value, { locale }).replace(/\s+/g, ' ').trim();
    } catch {
      return plain(value);
    }
  };
}

/** What was typed, not what the computer makes of it: 0.3, not 0.30000000000000004. */
const plain = (value: number): string => String(Number(value.toPrecision(15)));

/** A date without the parts that its format leaves out: `2026-05`, `2026-05-12 14:30`, `14:30`. */
function dateText(value: number, pattern: string, is1904: boolean): string {
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(pattern);
  const hasTime = hours || (seconds && !year && !day);
  const serial = value + (is1904 ? days1904 : 0);
  const rounded = Math.round(serial * 86_400) / 86_400;
  if (!Number.isFinite(rounded) || rounded < 0) return plain(value);
  if (seconds && !hours && !year && !day) return format('mm:ss', rounded);
  const hasDay = day && rounded >= 1;
  const date = hasDay ? 'yyyy-mm-dd' : year && month ? 'yyyy-mm' : year ? 'yyyy' : month && !minutes ? 'mmmm' : '';
  const showsTime = hasTime && (!date || rounded % 1 > 0);
  return format([date, showsTime || !date ? 'hh:mm' : ''].filter(Boolean).join(' '), rounded);
}
