/** How equations are written on one line: `x = (−b + √(b^2 − 4ac))/(2a)`. */

/** Adds parentheses unless the text is a single letter or number, or already has them. */
export const grouped = (text: string): string => (/^([\p{L}\p{M}]|[\d.,]+|\(.*\))?$/u.test(text) ? text : `(${text})`);
export const superscript = (text: string): string => (text ? `^${grouped(text)}` : '');
export const lowered = (text: string): string => (text ? `_${grouped(text)}` : '');
/** A square root, or one of the degree. */
export const rootOf = (text: string, degree = ''): string => `${grouped(degree)}√(${text})`;
