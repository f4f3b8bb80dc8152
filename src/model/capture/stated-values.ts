import { fold } from '../../text/fold.ts';
import { wholeCharacters } from '../../text/shorten.ts';

/**
 * A mention of a field in a text: the number just `before` the name, the text after it (`rest`), and the value
 * stated there. `plainly`: as in "Plan: Gold" or "my plan is Gold"; `marked`: with a colon or dash, as in the former.
 */
export type StatedValue = { before: string; rest: string; value: string; plainly: boolean; marked: boolean };

/** Synonyms that visitors use for standard lead fields. */
const synonyms = new Map([
  ['company', ['empresa', 'companhia', 'compañía', 'organization', 'organisation', 'organização', 'organización']],
  ['site', ['website', 'web site', 'página web', 'sitio web', 'sitio']],
]);

const mark = /^\s{0,3}(?:[:=]|\s[-–])\s{0,5}/u;
const verb =
  /^\s{1,3}(?:is|are|will be|would be|é|são|será|seria|es|son|sería)\s{1,3}(?:of |about |around |de |em |en |uns |cerca de )?/iu;
const small = /^\s{1,3}(?:(?:of|de|até|hasta|up to|about)\s{1,3})?/iu;
const owner = /(?:^|[^\p{L}])(?:my|our|the|meu|minha|nosso|nossa|mi|nuestro|nuestra|o|a|el|la)\s{1,3}$/iu;
/** How much text after a name is examined, and how many occurrences of it. */
const maxFollowing = 600;
const maxMatches = 20;
/** More than the length of any character, so that the last one is whole. */
const longest = 32;

/** A message, as written and folded by `foldInPlace`: folded once, however many fields are looked for. */
export type ReadMessage = { text: string; folded: string };

export function readMessage(message: string): ReadMessage {
  const text = message.normalize('NFC');
  return { text, folded: foldInPlace(text) };
}

/** Finds where a message states a field. The case and accents of the name do not matter. */
export function statementsOf({ text, folded }: ReadMessage, name: string, fields: { name: string }[]): StatedValue[] {
  const names = [name, ...(synonyms.get(name) ?? [])].map(patternOf).filter(Boolean);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names.join('|')})(?![\\p{L}\\p{N}_])`, 'giu');
  const occurrences = names.length === 0 ? [] : [...folded.matchAll(pattern).take(maxMatches)];
  if (occurrences.length === 0) return [];
  const others = fields.map((field) => patternOf(field.name)).filter(Boolean);
  const next = new RegExp(`[,.]?\\s{0,3}(?<![\\p{L}\\p{N}_])(?:${others.join('|')})\\s{0,3}[:=]`, 'iu');
  return occurrences.map(({ index, 0: found }) => {
    const start = index + found.length;
    const after = wholeCharacters(text.slice(start, start + maxFollowing + longest), maxFollowing);
    const marked = mark.exec(after);
    const verbMatch = verb.exec(after);
    const owned = verbMatch && owner.test(text.slice(Math.max(0, index - 12), index));
    const link = marked ?? verbMatch ?? small.exec(after);
    const rest = after.slice(link?.[0].length ?? 0);
    const end = marked ? next.exec(foldInPlace(rest))?.index : undefined;
    return {
      before: /[\d.,]{1,20}\s{1,3}$/.exec(text.slice(Math.max(0, index - 24), index))?.[0].trim() ?? '',
      rest,
      marked: marked !== null,
      ...valueOf(
        rest.slice(0, end),
        Boolean(marked ?? owned),
        marked ? /[\n;]/ : /[\n,;!]|\.(?=\s|$)|\s(?:and|e|y)\s/u,
      ),
    };
  });
}

/** The value, up to its end. A question ("is my plan Gold?") states nothing. */
function valueOf(rest: string, plainly: boolean, end: RegExp): Pick<StatedValue, 'value' | 'plainly'> {
  const value = rest.split(end, 1)[0]?.trim() ?? '';
  const isQuestion = /\?/.test(value);
  const unquoted = value.replace(/^["“'«]|["”'».,!]+$/gu, '');
  return { value: wholeCharacters(unquoted, 200), plainly: plainly && !isQuestion };
}

const patternOf = (name: string): string =>
  foldInPlace(wholeCharacters(name.trim(), 100))
    .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    .replace(/\s+/g, '\\s{1,3}');

/** Folds case and accents, keeping each character at its index. */
export const foldInPlace = (text: string): string =>
  text.normalize('NFC').replace(/[A-Z]+|[^\0-\x7f]/gu, (letter) => {
    const folded = fold(letter);
    return folded.length === letter.length ? folded : letter;
  });
