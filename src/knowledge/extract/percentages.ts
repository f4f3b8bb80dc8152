const sheets = /^xl\/worksheets\/[^/]+\.xml$/;
/** In larger sheets, which would be held in memory several times, percentages stay plain numbers. */
const maxBytes = 20_000_000;

/**
 * Rewrites numbers that a workbook displays as percentages, since the reader of cells only sees the values: people look
 * for 15 %, not 0.15.
 */
export function withPercentages(parts: Record<string, Uint8Array>): Record<string, Uint8Array> {
  const styles = percentStyles(textOf(parts['xl/styles.xml']));
  if (styles.size === 0) return parts;
  const changed = Object.entries(parts).map(([name, part]) =>
    sheets.test(name) && part.length <= maxBytes ? [name, writeOut(part, styles)] : [name, part],
  );
  return Object.fromEntries(changed) as Record<string, Uint8Array>;
}

const textOf = (part: Uint8Array | undefined): string =>
  part && part.length <= maxBytes ? new TextDecoder().decode(part) : '';

/** The indices of cell styles that display percentages; 9 and 10 are Excel's built-in formats for it. */
function percentStyles(xml: string): Set<string> {
  const formats = new Set(['9', '10']);
  for (const [format] of xml.matchAll(/<numFmt\s[^>]*>/g)) {
    const id = attribute(format, 'numFmtId');
    if (id && attribute(format, 'formatCode')?.includes('%')) formats.add(id);
  }
  const cells = /<cellXfs[\s>]([\s\S]*?)<\/cellXfs>/.exec(xml)?.[1] ?? '';
  const styles = [...cells.matchAll(/<xf\s[^>]*>/g)].map(([style]) => attribute(style, 'numFmtId') ?? '');
  return new Set(styles.flatMap((format, index) => (formats.has(format) ? [`${index}`] : [])));
}

const attribute = (tag: string, name: string): string | undefined => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];

const cell = /<c(\s[^>]*)>(<f(?:\s[^>]*)?(?:\/>|>[^<]*<\/f>))?<v>([^<]*)<\/v>/g;

function writeOut(part: Uint8Array, styles: Set<string>): Uint8Array {
  const sheet = textOf(part).replaceAll(cell, (tag, attributes: string, formula: string | undefined, value: string) => {
    const isNumber =
      (attribute(attributes, 't') ?? 'n') === 'n' && value.trim() !== '' && Number.isFinite(Number(value));
    if (!isNumber || !styles.has(attribute(attributes, 's') ?? '')) return tag;
    const percent = Number((Number(value) * 100).toFixed(4));
    return `<c${attributes.replace(/\st="[^"]*"/, '')} t="str">${formula ?? ''}<v>${percent}%</v>`;
  });
  return new TextEncoder().encode(sheet);
}
