import { foldInPlace, type ReadMessage } from './stated-values.ts';

/** Precedes something that is ruled out. */
const negation =
  /(?:\b(?:not|never|don't|dont|without|except|nao|não|nunca|sem|exceto|sin|excepto)\s{1,3}(?:\p{L}+\s{1,3}){0,2}|\bno\s{1,3}(?:quiero\s|me\s|el\s|la\s)?\s{0,2}|(?:instead of|rather than|em vez d[eoa]s?|en vez de|en lugar de)\s{1,3}(?:\p{L}+\s{1,3})?)$/iu;
/** Words too common to identify an option. */
const common = new Set('yes no sim nao si other others outro outra otro otra none all any the one two'.split(' '));

/**
 * Returns the options that a text mentions as whole words, in the order of `options`; options that are negated or asked
 * about are left out. `anywhere`: the text is a whole message, in which short and common words do not count.
 */
export function namedOptions(message: ReadMessage, options: string[], { anywhere = false } = {}): string[] {
  const { text } = message;
  let folded = message.folded.slice(0, 4_000);
  const named = new Set<string>();
  // Longest first: "Pro Max" does not mention "Pro".
  for (const option of options.toSorted((a, b) => b.length - a.length)) {
    const foldedOption = foldInPlace(option.trim());
    if (!foldedOption || (anywhere && (foldedOption.length < 3 || common.has(foldedOption)))) continue;
    for (let from = 0, at = folded.indexOf(foldedOption); at >= 0; at = folded.indexOf(foldedOption, from)) {
      from = at + foldedOption.length;
      if (!isWord(folded, at, from)) continue;
      const denied = negation.test(text.slice(Math.max(0, at - 40), at));
      const isQuestion = anywhere && /^[^.!\n]{0,300}\?/.test(folded.slice(from));
      if (!denied && !isQuestion) named.add(option);
      folded = folded.slice(0, at) + '\0'.repeat(foldedOption.length) + folded.slice(from);
    }
  }
  return options.filter((option) => named.has(option));
}

const isWord = (text: string, start: number, end: number): boolean =>
  !/[\p{L}\p{N}_]/u.test(text[start - 1] ?? ' ') && !/[\p{L}\p{N}_]/u.test(text[end] ?? ' ');
