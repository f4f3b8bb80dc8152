import { ExtractFailure } from '../../sandbox/extract-failure.ts';

/** The parser compares each attribute of a tag with the previous ones, and needs about 100 bytes for each. */
const maxOfTag = 256;
const maxTotal = 500_000;

/** Throws `ExtractFailure` for markup with more attributes than any real page has, in one tag or in total. */
export function refuseManyAttributes(markup: string): void {
  let all = 0;
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at)) {
    at += 1;
    if (!startsName.test(markup.charAt(at))) continue;
    const tag = readTag(markup, at);
    all += tag.attributes;
    if (tag.attributes > maxOfTag || all > maxTotal) throw new ExtractFailure('It has tags with too many attributes');
    at = tag.end;
  }
}

const startsName = /[a-z_]/i;

/**
 * Scans the tag whose name starts at `start`: returns its end, and how many attributes the parser will see. Stops
 * counting one past the limit.
 */
function readTag(markup: string, start: number): { end: number; attributes: number } {
  // -1, as the tag's name is counted like an attribute.
  let attributes = -1;
  let isWord = false;
  let isValue = false;
  let at = start;
  for (; at < markup.length && attributes <= maxOfTag; at++) {
    const code = markup.charCodeAt(at);
    if (code === 0x3e /* > */) break;
    if (code <= 0x20 || (code === 0x2f /* / */ && !isValue)) {
      // Spaces around "=" separate nothing.
      if (isWord) isValue = false;
      isWord = false;
    } else if (code === 0x3d /* = */ && !(isWord && isValue)) {
      isValue = true;
      isWord = false;
    } else if (!isWord && isValue && (code === 0x22 || code === 0x27)) {
      const end = markup.indexOf(String.fromCharCode(code), at + 1);
      if (end < 0) return { end: markup.length, attributes };
      at = end;
      isValue = false;
    } else if (!isWord) {
      isWord = true;
      if (!isValue) attributes++;
    }
  }
  return { end: at, attributes };
}
