import { fold } from '../../text/fold.ts';
import { foldedWords } from '../../text/lexemes.ts';
import { stopWords } from '../../text/stop-words.ts';

export type Language = 'en' | 'pt' | 'es';
const languages = ['en', 'pt', 'es'] as const;

/** How a language shows, without accents: in common words besides its stop words, in letters, and in how words are built. */
const signs: Record<Language, { common: Set<string>; letters: RegExp; built: RegExp }> = {
  en: {
    common: stopWords.e.union(new Set('hello hi hey thanks please good day there'.split(' '))),
    letters: /(?!)/g,
    built: /th|wh|ck|gh|sh|oo|ee|w|(?:tion|ing|ly|ed|y)$/,
  },
  pt: {
    common: stopWords.p.union(
      new Set('oi ola obrigado obrigada bom dia boa tchau valeu estamos temos podemos somos devemos tudo'.split(' ')),
    ),
    letters: /[ãõçêâôà]/gi,
    built: /nh|lh|ss|(?:cao|coes|oes|ao|aos|dade|agem|amento|imento|ais|eis|ei|ou|em|eira|eiro)$/,
  },
  es: {
    // "o" is "or", and far more often the article of Portuguese.
    common: stopWords.s
      .difference(new Set(['o', 'os', 'e']))
      .union(new Set('hola gracias buenos buenas dias tardes adios usted'.split(' '))),
    letters: /[ñ¿¡]/gi,
    built: /ll|ue[dlnrst]|ie[nrt]|(?:cion|ciones|dad|aje|amiento|imiento|ales|illo|illa|on)$/,
  },
};

/** Returns the language of the first text in which one can be told; English by default. */
export function languageOf(...texts: (string | null | undefined)[]): Language {
  const told = texts.flatMap((text) => (text ? [pointsOf(text.slice(0, maxLength))] : []));
  const [shown] = told.find(([first, second]) => first[1] > second[1]) ?? [];
  return shown?.[0] ?? 'en';
}

/** A text shows its language at its beginning. */
const maxLength = 2_000;

type Points = [language: Language, points: number];

/** How much each language shows in a text, most first: words count twice as much as how they are built, and letters of its own twice as much as words. */
function pointsOf(text: string): [Points, Points, Points] {
  const words = foldedWords(fold(text));
  const points = languages.map((language): Points => {
    const { common, letters, built } = signs[language];
    const shown = words.reduce((sum, word) => sum + (common.has(word) ? 2 : built.test(word) ? 1 : 0), 0);
    return [language, shown + 4 * (text.match(letters)?.length ?? 0)];
  });
  return points.sort(([, one], [, other]) => other - one) as [Points, Points, Points];
}
