import { ExtractFailure } from '../../sandbox/extract-failure.ts';

/** The parser compares each attribute of a tag with those before it, and takes some 100 bytes for each of them. */
const mostOfTag = 256;
const mostOfAll = 500_000;

/** Refuses markup with more attributes than any page has, in one tag or together. Throws `ExtractFailure`. */
export function refuseManyAttributes(markup: string): void {
  let all = 0;
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at)) {
    at += 1;
    if (!startsName.test(markup.charAt(at))) continue;
    const tag = readTag(markup, at);
    all += tag.attributes;
    if (tag.attributes > mostOfTag || all > mostOfAll) throw new ExtractFailure('It has tags with too many attributes');
    at = tag.end;
  }
}

const startsName = /[a-z_]/i;

/** Where the tag whose name begins at `start` ends, and how many attributes the parser sees in it: at most one too many. */
function readTag(markup: string, start: number): { end: number; attributes: number } {
  // The name of the tag is a word like those of its attributes.
  let attributes = -1;
  let isWord = false;
  let isValue = false;
  let at = start;
  for (; at < markup.length && attributes <= mostOfTag; at++) {
    const code = markup.charCodeAt(at);
    if (code === 0x3e /* > */) break;
    if (code <= 0x20 || (code === 0x2f /* / */ && !isValue)) {
      // The blanks between a name, its `=` and its value part nothing.
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
