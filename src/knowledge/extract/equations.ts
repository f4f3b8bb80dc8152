/** How equations are written on one line: `x = (−b + √(b^2 − 4ac))/(2a)`. */

/** Adds parentheses unless the text is a single letter or number, or stands in parentheses as a whole. */
export const grouped = (text: string): string =>
  /^([\p{L}\p{M}]|[\d.,]+)?$/u.test(text) || isGroup(text) ? text : `(${text})`;

function isGroup(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false;
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    if (depth === 0) return false;
  }
  return true;
}

export const superscript = (text: string): string => (text ? `^${grouped(text)}` : '');
export const lowered = (text: string): string => (text ? `_${grouped(text)}` : '');
/** A square root, or one of the degree. */
export const rootOf = (text: string, degree = ''): string => `${grouped(degree)}√(${text})`;
