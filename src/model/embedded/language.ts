import { fold } from '../../text/fold.ts';
import { foldedWords } from '../../text/lexemes.ts';
import { stopWords } from '../../text/stop-words.ts';

export type Language = 'en' | 'pt' | 'es';
const languages = ['en', 'pt', 'es'] as const;
/** Told apart only so that their questions are not taken for one of the three. */
type OtherLanguage = 'de' | 'fr' | 'it';
type AnyLanguage = Language | OtherLanguage;

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** German words that English or a Romance language has too, mostly with another meaning. */
const sharedGerman = words('hat war man die er den wo gut am an was in so es um da des das du mein ja im');
/**
 * How a language shows, without accents except in `letters`: in common words (besides the stop words), in letters of
 * which the others have few, and in how words are built.
 */
const signs: Record<AnyLanguage, { common: ReadonlySet<string>; letters: RegExp; built: RegExp }> = {
  en: {
    common: stopWords.e.union(words('hello hi hey thanks please good day there')),
    letters: /(?!)/,
    built: /th|wh|ck|gh|sh|oo|ee|w|(?:tion|ing|ly|ed|y)$/,
  },
  pt: {
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
  es: {
    // "o" is "or", and far more often the article of Portuguese.
    common: stopWords.s.difference(words('o os e')).union(words('hola gracias buenos buenas dias tardes adios usted')),
    letters: /ñ/,
    built: /ll|ue[dlnrst]|ie[nrt]|(?:cion|ciones|dad|aje|amiento|imiento|ales|illo|illa|on)$/,
  },
  de: {
    common:
      words(`der dem ein eine einen einem einer und oder ist sind wird werden kann konnen darf durfen muss ich sie wir
      ihr ihre ihren meine meinen wer wie wann welche welcher welches welchen warum auf aus bei mit nach von vom vor zu zum
      zur fur nicht kein keine gibt haben viel viele kostet kosten danke hallo guten`).union(sharedGerman),
    letters: /[äöüß]/,
    built: /sch|(?:ung|heit|keit|lich)$/,
  },
  fr: {
    common:
      words(`le les l la un une des du de d et est sont ou a au aux en dans sur pour avec sans que qui qu quel quelle quels
      quelles quand comment combien pourquoi je j tu il elle on nous vous ils elles mon ma mes vos votre nos notre ce cette
      ces c se ne n pas y avez avons peut peux puis faire fait trouve bonjour merci`),
    letters: /[èùûîëïœçêâôà]/,
    built: /(?:eux|eau|oir|eur|aires)$/,
  },
  it: {
    common:
      words(`il lo la i gli le l un uno una di del della dei delle degli d da dal in nel nella con su per che chi cosa
      come dove quando quanto quanta quanti quante quale quali perche e sono sei siamo avete ho hai ha c posso puo possiamo
      vorrei voi noi io tu non si mi ci vi vostro vostra vostri anche o ma se al alla questo questa ciao grazie`),
    letters: /[èìòù]/,
    built: /gli|cch|zz|zion[ei]$/,
  },
};
const others = ['de', 'fr', 'it'] as const;

/** Returns the language of the first text in which one can be told; English by default. */
export function languageOf(...texts: (string | null | undefined)[]): Language {
  for (const text of texts) {
    const shown = text ? shownIn(text) : null;
    if (shown && isSupported(shown)) return shown;
  }
  return 'en';
}

const isSupported = (language: AnyLanguage): language is Language => languages.some((each) => each === language);

const otherGrammar: Record<OtherLanguage, ReadonlySet<string>> = {
  de: signs.de.common.union(stopWords.d),
  fr: signs.fr.common.union(stopWords.f),
  it: signs.it.common.union(stopWords.i),
};
const none: ReadonlySet<string> = new Set();

export const showsGerman = (text: string): boolean => shownIn(text) === 'de';

/** The words of another language that phrase a question in it, folded: they would count as what it asks for. */
export function otherGrammarOf(question: string): ReadonlySet<string> {
  const shown = shownIn(question);
  return shown && !isSupported(shown) ? otherGrammar[shown] : none;
}

/** A text shows its language at its beginning. */
const maxLength = 2_000;
/** Common words count twice as much as how words are built, which alone tells little; only Spanish has "¿". */
const [ofCommon, ofBuilt, ofMarks] = [2, 1, 4];

type Word = { written: string; folded: string };
type Points = { language: AnyLanguage; points: number; common: Set<string>; spelled: number };

// English has no accents: "às" is not "as".
const isCommonIn = (language: AnyLanguage, { written, folded }: Word): boolean =>
  signs[language].common.has(language === 'en' ? written : folded);

/** A letter before a hyphen is no word: "e-bikes" does not have the "e" that is "and" in Portuguese and Italian. */
const prefix = /(?<![\p{L}\p{M}\p{N}])\p{L}\p{M}*-(?=\p{L})/gu;

/**
 * The language that leads in a text by words or letters that the next one does not have; null if none does, or merely
 * by how a word is built.
 */
function shownIn(text: string): AnyLanguage | null {
  const start = text.slice(0, maxLength).normalize('NFC').toLowerCase().replace(prefix, '');
  if (!isLatin(start)) return null;
  const all = foldedWords(start).map((written) => ({ written, folded: fold(written) }));
  const known = [...languages, ...others].map((language) => ({
    language,
    common: new Set(all.filter((word) => isCommonIn(language, word))),
  }));
  const mostCommon = Math.max(...known.map(({ common }) => common.size));
  // How a word is built tells nothing where the word is known: "you" does not end like a Portuguese verb.
  const rest = all.filter((word) => !known.some(({ common }) => common.has(word)));
  const points = known.map(({ language, common }): Points => {
    const { letters, built } = signs[language];
    // Loan words have letters of another language: they count less where its common words are not those of the text.
    const ofLetters = common.size < mostCommon ? ofBuilt : ofCommon;
    const marks = language === 'es' && /[¿¡]/.test(start) ? ofMarks : 0;
    const inLetters = all.filter((word) => !common.has(word) && letters.test(word.written));
    const inForm = rest.filter(({ written, folded }) => !letters.test(written) && built.test(folded));
    return {
      language,
      points: common.size * ofCommon + marks + inLetters.length * ofLetters + inForm.length * ofBuilt,
      common: new Set([...common].map(({ folded }) => folded)),
      spelled: marks + inLetters.length,
    };
  });
  const [first, second] = points.filter(({ language }) => isSupported(language)).toSorted(byPoints) as [Points, Points];
  const [other] = points.filter(({ language }) => !isSupported(language)).toSorted(byPoints) as [Points];
  if (other.points > first.points) return isCertain(other, first) ? other.language : null;
  if (other.points === first.points && isCertain(other, first)) return null;
  const lead = first.points - second.points;
  return lead > 0 && (isCertain(first, second) || lead > ofBuilt) ? first.language : null;
}

/** Whether half of the letters are Latin: names in a text of another script are no sign of its language. */
const isLatin = (text: string): boolean =>
  text.replaceAll(/\P{Script=Latin}/gu, '').length * 2 >= text.replaceAll(/\P{L}/gu, '').length;

/** Whether one language has a sign that the next one has not: words of both decide nothing between them. */
const isCertain = (one: Points, next: Points): boolean =>
  one.spelled > 0 || one.common.difference(next.common).size > 0;

const byPoints = (one: Points, next: Points): number => next.points - one.points;
