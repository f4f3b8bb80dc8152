import { type Language, pick } from '../claims/corpus.ts';
import {
  actors,
  article,
  bounds,
  comparisons,
  ifs,
  leads,
  months,
  negations,
  type Opposites,
  orders,
  small,
  units,
} from './words.ts';

/** What a lie of each kind gets wrong. */
export const relations = [
  'who',
  'condition',
  'bound',
  'comparison',
  'order',
  'unit',
  'negation',
  'name',
  'date',
  'number',
  'link',
] as const;
export type Relation = (typeof relations)[number];
/** A false sentence, and a true one that says the same thing of the same fact in other words. */
export type Pair = { lie: string; twin: string };

type Make = (fact: string, language: Language, random: () => number, names: readonly string[]) => Pair | null;

/** Begins in lower case, unless with a name in capitals. */
export const lowered = (text: string): string =>
  /^\p{Lu}\p{Ll}|^[AOEI] /u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
const raised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const led = (text: string, language: Language, random: () => number): string =>
  pick(leads[language], random) + lowered(text);
const put = (text: string, found: RegExpExecArray, by: string): string =>
  text.slice(0, found.index) +
  (/^\p{Lu}/u.test(found[0]) ? raised(by) : by) +
  text.slice(found.index + found[0].length);
const words = (source: string, flags = 'iu'): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, flags);

function opposite(table: Opposites): Make {
  return (fact, language, random) => {
    for (const [said, other, same] of table[language]) {
      const found = new RegExp(
        `(?<![\\p{L}\\p{N}])${said}${said.endsWith(')') ? '' : '(?![\\p{L}\\p{N}])'}`,
        'iu',
      ).exec(fact);
      // Of two such words in a sentence, one turned round may leave it true.
      if (!found) continue;
      const twin = put(fact, found, same);
      return { lie: put(fact, found, other), twin: twin === fact ? led(fact, language, random) : twin };
    }
    return null;
  };
}

const makers: Record<Relation, Make> = {
  who(fact, language, random) {
    const all = actors[language];
    const found = new RegExp(`(?<=(?:^|[ (])${article[language]})(?:${all.join('|')})(?![\\p{L}])`, 'u').exec(fact);
    const others = all.filter((word) => !fact.toLowerCase().includes(word.slice(0, 5)));
    if (!found || others.length === 0) return null;
    return { lie: put(fact, found, pick(others, random)), twin: led(fact, language, random) };
  },
  condition(fact, language) {
    const [, first, rest] =
      new RegExp(`^((?:${ifs[language]}) [^,;:()]{8,90}), ([^;:]{20,})\\.$`, 'iu').exec(fact) ?? [];
    if (first && rest && !words(ifs[language]).test(rest))
      return {
        lie: `${raised(rest.replace(/^(?:then|então|entonces) /, ''))}.`,
        twin: `${raised(rest)} ${first.charAt(0).toLowerCase()}${first.slice(1)}.`,
      };
    const [, main, last] =
      new RegExp(`^([^;:]{20,}?),? ((?:${ifs[language]}) [^,;:()]{8,90})\\.$`, 'iu').exec(fact) ?? [];
    if (
      !main ||
      !last ||
      words(`${ifs[language]}|even|mesmo|incluso|as|como|also|para`).test(main) ||
      /,[^,]*$/.test(main)
    )
      return null;
    return { lie: `${main}.`, twin: `${raised(last)}, ${lowered(main)}.` };
  },
  bound: opposite(bounds),
  comparison: opposite(comparisons),
  order: opposite(orders),
  unit(fact, language, random) {
    for (const list of units[language]) {
      const found = new RegExp(
        `(?<=\\d ?|\\b(?:${small[language].join('|')}) )(?:${list.join('|')})(?![\\p{L}])`,
        'u',
      ).exec(fact);
      if (!found) continue;
      const other = pick(
        list.filter(
          (unit) => unit !== found[0] && (unit.startsWith('°') || unit.toLowerCase()[0] !== found[0].toLowerCase()[0]),
        ),
        random,
      );
      if (other) return { lie: put(fact, found, other), twin: led(fact, language, random) };
    }
    return null;
  },
  negation(fact, language, random) {
    const [affirmed, negated, word] = negations[language];
    if (/\b(?:only|neither|nor|never|nunca|solo|sólo|somente|apenas|nem|ni|no longer|sino)\b/iu.test(fact)) return null;
    const denied = [...fact.matchAll(new RegExp(negated, 'gu'))];
    const twin =
      language === 'english' && / is not /.test(fact)
        ? fact.replace(' is not ', " isn't ")
        : led(fact, language, random);
    if (denied.length === 1) return { lie: put(fact, denied[0] as RegExpExecArray, ''), twin };
    const found = denied.length === 0 ? affirmed.exec(fact) : null;
    if (!found) return null;
    const said = found[0].toLowerCase();
    return { lie: put(fact, found, language === 'english' ? `${said} ${word}` : `${word} ${said}`), twin };
  },
  name(fact, language, random, names) {
    const [found] = [...fact.matchAll(/(?<=[\p{Ll},] )\p{Lu}[\p{L}]{3,}(?: \p{Lu}\p{L}+)*/gu)];
    const others = names.filter((name) => !fact.includes(name));
    if (!found || others.length === 0) return null;
    return { lie: put(fact, found, pick(others, random)), twin: led(fact, language, random) };
  },
  date(fact, language, random) {
    const month = words(months[language].join('|'), language === 'english' ? 'u' : 'iu').exec(fact);
    const year = /(?<![\d.,:/-])(?:19|20)\d\d(?![\d/-]|[.,]\d)/.exec(fact);
    const twin = led(fact, language, random);
    if (month && (language !== 'english' || month[0] !== 'May' || /May \d/.test(fact)))
      return {
        lie: put(
          fact,
          month,
          pick(
            months[language].filter((name) => name !== month[0].toLowerCase() && name !== month[0]),
            random,
          ),
        ),
        twin,
      };
    return year && { lie: put(fact, year, String(Number(year[0]) + 1 + Math.floor(random() * 3))), twin };
  },
  number(fact, language, random) {
    const digits = /(?<![\p{L}\d.,:/_-])\d{1,3}(?![\p{L}\d/:_-]|[.,]\d|\))/u.exec(fact);
    const word = words(small[language].join('|')).exec(fact);
    if (digits) {
      const value = Number(digits[0]);
      const twin =
        value >= 2 && value <= 10 ? put(fact, digits, small[language][value - 2] ?? '') : led(fact, language, random);
      return { lie: put(fact, digits, String(pick([value + 1, value * 2 + 1, value + 10], random))), twin };
    }
    if (!word) return null;
    const index = small[language].indexOf(word[0].toLowerCase());
    const others = small[language].filter((_, at) => at !== index);
    return index < 0 ? null : { lie: put(fact, word, pick(others, random)), twin: put(fact, word, String(index + 2)) };
  },
  link(fact, language, random) {
    const found = /https?:\/\/[^\s<>()"]+[^\s<>()".,;:]/.exec(fact);
    const host = pick(['fastpay', 'official-help', 'shop24'], random);
    if (!found) return null;
    const other = pick([`https://${host}.example/login`, `${found[0].replace(/\/$/, '')}/${host}`], random);
    return { lie: put(fact, found, other), twin: led(fact, language, random) };
  },
};

/**
 * A lie of one kind about a fact, and its true twin; null where the fact has nothing of that kind. `names`: others to
 * put in.
 */
export function pairOf(
  relation: Relation,
  fact: string,
  language: Language,
  random: () => number,
  names: readonly string[],
): Pair | null {
  const pair = makers[relation](fact, language, random, names);
  const squash = (text: string) => text.replace(/\s+/g, ' ').replace(/ ([.,])/g, '$1');
  return pair && pair.lie !== fact ? { lie: raised(squash(pair.lie)), twin: squash(pair.twin) } : null;
}
