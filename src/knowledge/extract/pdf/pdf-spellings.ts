/** A marked piece of a page's content: its kind, and how its text is spelled if that is not how it is drawn. */
export type Marked = { tag: string; spelling: string | null };

/** The marked pieces in the streams of a page, in order, as far as they have properties (`/Span << … >> BDC`). */
export function markedIn(content: string): Marked[] {
  const marked: Marked[] = [];
  let tag = '';
  let operand = '';
  for (const token of tokensOf(content)) {
    if (token === 'BDC') marked.push({ tag: tag.slice(1), spelling: spellingIn(operand) });
    tag = operand;
    operand = token;
  }
  return marked;
}

const delimiter = /[\s()<>[\]{}/%]/g;

/** Names, strings, dictionaries and words of a content stream; pictures within it are passed over. */
function* tokensOf(content: string): Generator<string> {
  let at = 0;
  while (at < content.length) {
    const start = at;
    const char = content.charAt(at);
    if (/\s/.test(char) || /[[\]{})>]/.test(char)) at++;
    else if (char === '%') at = endOf(content, /[\r\n]/g, at);
    else {
      at =
        char === '('
          ? endOfString(content, at)
          : content.startsWith('<<', at)
            ? endOfDictionary(content, at)
            : char === '<'
              ? endOf(content, />/g, at) + 1
              : endOf(content, delimiter, at + 1);
      const token = content.slice(start, at);
      // An inline picture: its bytes are no tokens.
      if (token === 'ID') at = endOf(content, /\sEI(?=\s|$)/g, at) + 3;
      else yield token;
    }
  }
}

function endOf(content: string, ending: RegExp, from: number): number {
  ending.lastIndex = from;
  return ending.exec(content)?.index ?? content.length;
}

/** The end of a string in parentheses, which may hold others. */
function endOfString(content: string, from: number): number {
  let depth = 0;
  for (let at = from; at < content.length; at++) {
    const char = content.charAt(at);
    if (char === '\\') at++;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return content.length;
}

function endOfDictionary(content: string, from: number): number {
  let depth = 0;
  for (let at = from; at < content.length; ) {
    if (content.startsWith('<<', at)) {
      depth++;
      at += 2;
    } else if (content.startsWith('>>', at)) {
      at += 2;
      if (--depth === 0) return at;
    } else at = content.charAt(at) === '(' ? endOfString(content, at) : at + 1;
  }
  return content.length;
}

const escapes: { [char: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function spellingIn(dictionary: string): string | null {
  const at = dictionary.search(/\/ActualText\s*[(<]/);
  if (at < 0) return null;
  const start = at + dictionary.slice(at).search(/[(<]/);
  if (dictionary.charAt(start) === '<') {
    const digits = dictionary.slice(start + 1, endOf(dictionary, />/g, start)).replace(/\s+/g, '');
    return decode(Buffer.from(digits.padEnd(digits.length + (digits.length % 2), '0'), 'hex'));
  }
  const literal = dictionary.slice(start + 1, endOfString(dictionary, start) - 1);
  const bytes = literal.replace(/\\(?:([0-7]{1,3})|(\r\n?|\n)|([^]))/g, (_all, octal, end, char) =>
    octal ? String.fromCharCode(Number.parseInt(octal, 8) & 0xff) : end ? '' : (escapes[char] ?? char),
  );
  return decode(Buffer.from(bytes, 'latin1'));
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder(bytes[0] === 0xef && bytes[1] === 0xbb ? 'utf-8' : 'latin1').decode(bytes);
}
