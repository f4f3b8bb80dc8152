const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Of what a text has more than a body may: levels of brackets, or values; null if of neither. Cheap, safe on any text,
 * and meant to run before parsing.
 */
export function excessIn(text: string, most: { levels: number; values: number }): 'levels' | 'values' | null {
  let depth = 0;
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === COMMA) count++;
    else if (code === 0x5b || code === 0x7b) {
      depth++;
      count++;
    }
    if (depth > most.levels) return 'levels';
    if (count > most.values) return 'values';
  }
  return null;
}

function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Returns the index at which a text stops being valid JSON, or its length if it ends too early. `JSON.parse` reports
 * the position only sometimes, and quotes the content, which may be secret. The text must not nest deeper than the
 * stack allows.
 */
export function locateFault(text: string): number {
  let at = 0;
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const skip = (): void => {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
  };
  const take = (char: string): boolean => {
    skip();
    if (text[at] !== char) return false;
    at++;
    return true;
  };
  const string = (): boolean => {
    if (!take('"')) return false;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH ? !match(ESCAPE) : code < 0x20) return false;
      if (code === QUOTE) return take('"');
      if (code !== BACKSLASH) at++;
    }
    return false;
  };
  const members = (close: string, member: () => boolean): boolean => {
    if (take(close)) return true;
    do if (!member()) return false;
    while (take(','));
    return take(close);
  };
  const pair = (): boolean => string() && take(':') && value();
  const value = (): boolean => {
    if (take('{')) return members('}', pair);
    if (take('[')) return members(']', value);
    return text[at] === '"' ? string() : match(LITERAL);
  };
  if (value()) skip();
  return at;
}
