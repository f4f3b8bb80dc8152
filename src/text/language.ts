import { fold } from './fold.ts';
import { stopWords } from './stop-words.ts';

/** English, Portuguese, Spanish. */
export type MainLanguage = 'e' | 'p' | 's';
/** German, French, Italian besides. */
export type Language = MainLanguage | 'd' | 'f' | 'i';
export const mainLanguages: MainLanguage[] = ['e', 'p', 's'];
const otherLanguages: Language[] = ['d', 'f', 'i'];
export const languages: Language[] = [...mainLanguages, ...otherLanguages];

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** German words that English or a Romance language has too, mostly with another meaning. */
const sharedGerman = words('hat war man die er den wo gut am an was in so es um da des das du mein ja im');
/**
 * How a language shows, without accents except in `letters`: in common words (besides the stop words), in letters of
 * which the others have few, and in how words are built.
 */
type Signs = {
  common: ReadonlySet<string>;
  letters: RegExp;
  built: RegExp;
  /** Punctuation that no other language has. */
  marks?: RegExp;
};
const signs: Record<Language, Signs> = {
  e: {
    common: stopWords.e.union(words('hello hi hey thanks please good day there')),
    letters: /(?!)/,
    built: /th|wh|ck|gh|sh|oo|ee|w|(?:tion|ing|ly|ed|y)$/,
  },
  p: {
    // "la" is far more often the article of Spanish than "lá".
    common: stopWords.p
      .difference(words('la'))
      .union(
        words(
          'oi ola obrigado obrigada bom dia boa tchau valeu estamos temos podemos somos devemos tudo antes dias tarde noite',
        ),
      ),
    letters: /[ãõçêâôà]/,
    built: /nh|lh|ss|(?:cao|coes|oes|ao|aos|dade|agem|amento|imento|ais|eis|ei|ou|em|eira|eiro)$/,
  },
  s: {
    // "o" is "or", and far more often the article of Portuguese.
    common: stopWords.s.difference(words('o os e')).union(words('hola gracias buenos buenas dias tardes adios usted')),
    letters: /ñ/,
    marks: /[¿¡]/,
    built: /ll|ue[dlnrst]|ie[nrt]|(?:cion|ciones|dad|aje|amiento|imiento|ales|illo|illa|on)$/,
  },
  d: {
    common:
      words(`der dem ein eine einen einem einer und oder ist sind wird werden kann konnen darf durfen muss ich sie wir
      ihr ihre ihren meine meinen wer wie wann welche welcher welches welchen warum auf aus bei mit nach von vom vor zu zum
      zur fur nicht kein keine gibt haben viel viele kostet kosten danke hallo guten`).union(sharedGerman),
    letters: /[äöüß]/,
    built: /sch|(?:ung|heit|keit|lich)$/,
  },
  f: {
    common:
      words(`le les l la un une des du de d et est sont ou a au aux en dans sur pour avec sans que qui qu quel quelle quels
      quelles quand comment combien pourquoi je j tu il elle on nous vous ils elles mon ma mes vos votre nos notre ce cette
      ces c se ne n pas y avez avons peut peux puis faire fait trouve bonjour merci`),
    letters: /[èùûîëïœçêâôà]/,
    built: /(?:eux|eau|oir|eur|aires)$/,
  },
  i: {
    common:
      words(`il lo la i gli le l un uno una di del della dei delle degli d da dal in nel nella con su per che chi cosa
      come dove quando quanto quanta quanti quante quale quali perche e sono sei siamo avete ho hai ha c posso puo possiamo
      vorrei voi noi io tu non si mi ci vi vostro vostra vostri anche o ma se al alla questo questa ciao grazie`),
    letters: /[èìòù]/,
    built: /gli|cch|zz|zion[ei]$/,
  },
};
/** Languages that capitalise every noun, so that a capital letter shows no name. */
export const capitalising: ReadonlySet<Language | null> = new Set(['d']);
/** Languages that write compounds as one word, whose last part names them: "Atlantikküste" is a "Küste". */
export const compounding: ReadonlySet<Language | null> = new Set(['d']);

/** A text shows its language at its beginning. */
const maxLength = 2_000;
/** Common words count twice as much as how words are built, which alone says little; marks are in one language only. */
const [ofCommon, ofBuilt, ofMarks] = [2, 1, 4];

/** A short text in a main language may have one such word of another: "Straw hat", "Sans serif". */
const enoughOfOther = 2;

/** In which languages a word is common, in which it is spelled, and in which it is built: a bit for each. */
type Kind = { common: number; spelled: number; built: number };
/** `excess`: how many more letters are Latin than not. */
type Word = { kind: Kind; excess: number };
type Points = { language: Language; bit: number; points: number; spelled: number };

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** A letter before a hyphen is no word: "e-bikes" does not have the "e" that is "and" in Portuguese and Italian. */
const prefix = /(?<![\p{L}\p{M}\p{N}])\p{L}\p{M}*-(?=\p{L})/gu;

/**
 * The language that leads in a text by words or letters that the next one does not have; null if none does, or merely
 * by how a word is built.
 */
export function languageOf(text: string): Language | null {
  const start = text.slice(0, maxLength).normalize('NFC').toLowerCase();
  const words = (start.includes('-') ? start.replace(prefix, '') : start).match(wordPattern) ?? [];
  const counts = new Map<Kind, number>();
  let excess = 0;
  for (const word of words) {
    const { kind, excess: own } = readWord(word);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    excess += own;
  }
  // Names in a text of another script are no sign of its language.
  if (excess < 0) return null;
  const kinds = [...counts.keys()];
  const count = (is: (kind: Kind) => unknown) =>
    kinds.reduce((sum, kind) => sum + (is(kind) ? (counts.get(kind) ?? 0) : 0), 0);
  const held = languages.map((_, index) => count(({ common }) => common & (1 << index)));
  const mostCommon = Math.max(...held);
  const points = languages.map((language, index): Points => {
    const [bit, common] = [1 << index, held[index] as number];
    // Loan words and titles are in another language: where its common words are not those of the text, letters count
    // less, and how words are built does not count.
    const [ofLetters, ofForm] = common < mostCommon ? [ofBuilt, 0] : [ofCommon, ofBuilt];
    const marks = signs[language].marks?.test(start) ? ofMarks : 0;
    const inLetters = count(({ common, spelled }) => spelled & bit & ~common);
    // How a word is built tells nothing where the word is known: "you" does not end like a Portuguese verb.
    const inForm = count(({ common, spelled, built }) => common === 0 && built & bit & ~spelled);
    return {
      language,
      bit,
      points: common * ofCommon + marks + inLetters * ofLetters + inForm * ofForm,
      spelled: marks + inLetters,
    };
  });
  /** Whether one language has a sign that the next one has not: words of both decide nothing between them. */
  const isCertain = (one: Points, next: Points) =>
    one.spelled > 0 || kinds.some(({ common }) => common & one.bit && !(common & next.bit));
  const isEnough = ({ bit, spelled }: Points) =>
    spelled + new Set(words.filter((word) => readWord(word).kind.common & bit)).size >= enoughOfOther;
  const [first, second] = points.filter(({ language }) => isMain(language)).toSorted(byPoints) as [Points, Points];
  const [other] = points.filter(({ language }) => !isMain(language)).toSorted(byPoints) as [Points];
  if (other.points > first.points) return isCertain(other, first) && isEnough(other) ? other.language : null;
  if (other.points === first.points && isCertain(other, first)) return null;
  const lead = first.points - second.points;
  return lead > 0 && (isCertain(first, second) || lead > ofBuilt) ? first.language : null;
}

/** The main language of the first text in which one shows; null if none does. */
export function mainLanguageOf(...texts: (string | null | undefined)[]): MainLanguage | null {
  for (const text of texts) {
    const shown = text ? languageOf(text) : null;
    if (shown && isMain(shown)) return shown;
  }
  return null;
}

const isMain = (language: Language): language is MainLanguage => mainLanguages.some((each) => each === language);

const byPoints = (one: Points, next: Points): number => next.points - one.points;

/** Of words as they are written, and of their kinds, which are few. */
const known = new Map<string, Word>();
const kinds = new Map<string, Kind>();
const maxKnown = 50_000;
/** Longer words are not kept: they seldom occur again. */
const maxKnownLength = 30;

function readWord(written: string): Word {
  const cached = known.get(written);
  if (cached) return cached;
  const folded = fold(written);
  const bits = (is: (language: Language) => boolean) =>
    languages.reduce((sum, language, index) => (is(language) ? sum | (1 << index) : sum), 0);
  const kind = {
    // English has no accents: "às" is not "as".
    common: bits((language) => signs[language].common.has(language === 'e' ? written : folded)),
    spelled: bits((language) => signs[language].letters.test(written)),
    built: bits((language) => signs[language].built.test(folded)),
  };
  const key = Object.values(kind).join(' ');
  if (!kinds.has(key)) kinds.set(key, kind);
  const [letters, latin] = [/\p{L}/gu, /\p{Script=Latin}/gu].map((letter) => written.match(letter)?.length ?? 0) as [
    number,
    number,
  ];
  const word = { kind: kinds.get(key) ?? kind, excess: 2 * latin - letters };
  if (known.size >= maxKnown) known.clear();
  if (written.length <= maxKnownLength) known.set(Buffer.from(written).toString(), word);
  return word;
}
