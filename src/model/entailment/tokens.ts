import type { MainLanguage } from '../../text/language.ts';
import { isUnspaced, piecesOf } from '../../text/unspaced.ts';
import { boundAt } from './bounds.ts';
import { type CalendarDate, dateInDigits, isMonthAlone, monthOf, weekdayOf } from './calendar.ts';
import {
  concords,
  conditions,
  contrasts,
  costs,
  determiners,
  grammar,
  has,
  joins,
  limits,
  negators,
  ranges,
} from './grammar.ts';
import { type Lexeme, lexemesOf, linkOf, minutesOf } from './lexer.ts';
import { isBetweenUnit, isDays, isWorking, type Unit, unitOf, workingDay } from './measures.ts';
import { isDoubtfulNumber, numberAt, valueOf } from './number-words.ts';
import { isNeutral, isPromise, isStopWord, keysOf, looksLikeName, negatedBy, sideOf } from './vocabulary.ts';

/**
 * What a sentence says, piece by piece. `before`: the word before it; `opens`: nothing but a form of "to have" or "to
 * be" stands between it and a comma or an "and".
 */
export type Token = { before: string; opens: boolean; keys: string[]; word: string } & Said;
type Said =
  | { kind: 'term'; side: { group: number; side: number } | null; isPromise: boolean; isInitial: boolean }
  | { kind: 'name' | 'link' }
  | { kind: 'amount'; value: number; unit: Unit | null }
  | { kind: 'date'; date: CalendarDate }
  | { kind: 'time'; minutes: number }
  | { kind: 'weekday'; day: number };
/** A token that was read at a position. */
type Read = Said & { word: string; keys?: string[] };
const term = { kind: 'term', side: null, isPromise: false, isInitial: false } as const;

const isHalf = /^(?:half|meia|media|meio|medio)$/;

/** What stands between tokens: a negation, or where a clause may end. */
export type Item = Token | { kind: 'not'; concord: boolean } | { kind: 'break'; strong: boolean; conditions?: number };

/** Reads a sentence. `language` decides what "no" means, which is "in the" in Portuguese. */
export function itemsOf(sentence: string, language: MainLanguage | null): Item[] {
  return new Reader(sentence, language).read();
}

class Reader {
  readonly #lexemes: Lexeme[];
  readonly #words: string[];
  readonly #language: MainLanguage | null;
  readonly #hasCase: boolean;
  readonly #items: Item[] = [];
  #at = 0;
  #isInitial = true;

  constructor(sentence: string, language: MainLanguage | null) {
    this.#lexemes = lexemesOf(sentence);
    this.#words = this.#lexemes.map(({ raw, folded }) => (raw === 'é' || raw === 'É' ? 'é' : folded));
    this.#language = language;
    this.#hasCase = /\p{Ll}/u.test(sentence);
  }

  read(): Item[] {
    while (this.#at < this.#lexemes.length) this.#step(this.#lexemes[this.#at] as Lexeme);
    return this.#items;
  }

  #step(lexeme: Lexeme): void {
    const { kind, raw, folded } = lexeme;
    if (kind === 'stop') return this.#stop(raw);
    if (kind === 'link') return this.#add({ kind, word: linkOf(raw) });
    if (kind === 'time') return this.#add({ kind, minutes: minutesOf(raw), word: folded });
    const date = kind === 'date' ? dateInDigits(raw) : null;
    if (date) return this.#add({ kind: 'date', date, word: folded });
    if (this.#date() || this.#amount()) return;
    if (kind === 'word') return this.#word(lexeme);
    if (/^[–—]$/.test(raw)) this.#items.push({ kind: 'break', strong: true });
    this.#at++;
  }

  #stop(raw: string): void {
    this.#items.push({ kind: 'break', strong: raw !== ',' && raw !== '，' });
    if (/[.!?…\n。！？]/.test(raw)) this.#isInitial = true;
    this.#at++;
  }

  /** Adds a token of so many lexemes, or several of as many. */
  #add(read: Read | Read[], length = 1): void {
    const before = this.#words[this.#at - 1] ?? '';
    const outer = this.#words[this.#at - 2] ?? '';
    const isBreak = (word: string) => word === ',' || joins.test(word);
    const opens = isBreak(before) || (has.test(before) && isBreak(outer));
    for (const token of [read].flat()) this.#items.push({ keys: [], before, opens, ...token });
    this.#at += length;
    this.#isInitial = false;
  }

  #break(strong: boolean, isCondition = false): void {
    this.#items.push({ kind: 'break', strong, conditions: isCondition ? 1 : 0 });
    this.#at++;
    this.#isInitial = false;
  }

  #word({ raw }: Lexeme): void {
    const folded = this.#words[this.#at] ?? '';
    const next = this.#words[this.#at + 1] ?? '';
    const bound = boundAt(this.#words, this.#at);
    if (bound) {
      const { word, side, length } = bound;
      return this.#add({ ...term, word, side, keys: [`!${word}`] }, length);
    }
    const isCondition = conditions.test(folded) && !(folded === 'se' && this.#language === 's');
    if (negators.test(folded) && !(folded === 'no' && this.#language === 'p')) return this.#negation(folded, next);
    const day = weekdayOf(folded);
    if (day !== undefined && !/^(?:vez|parte|lugar)$/.test(next))
      return this.#add({ kind: 'weekday', day, word: folded }, next === '-' ? 3 : 1);
    if (contrasts.test(folded) && !(folded === 'mas' && this.#language === 's')) return this.#break(true, isCondition);
    if (isCondition || (joins.test(folded) && (folded !== 'o' || this.#language === 's')))
      return this.#break(false, isCondition);
    const negated = negatedBy(folded);
    if (negated) {
      this.#items.push({ kind: 'not', concord: false });
      return this.#term(negated, false);
    }
    const isName = this.#hasCase && /^\p{Lu}/u.test(raw) && (!this.#isInitial || /^\p{Lu}[\p{Lu}\d]|\d/u.test(raw));
    const isCode = /\p{L}.*\d/u.test(raw);
    if ((isName || isCode) && folded !== 'i' && !(grammar.test(folded) && !/^\p{Lu}{2}/u.test(raw))) {
      const word = folded.replace(/'s?$/, '');
      return this.#add({ kind: 'name', word, keys: keysOf(word) });
    }
    const side = sideOf(folded);
    if (!side && (isStopWord(folded) || isNeutral(folded) || folded.length < 2)) {
      this.#at++;
      if (!isNeutral(folded) || !isStopWord(folded)) this.#isInitial = false;
      return;
    }
    if (isUnspaced(folded)) return this.#add(piecesOf(folded).map((word) => ({ ...term, word, keys: [word] })));
    this.#term(
      folded,
      this.#isInitial && this.#hasCase && /^\p{Lu}/u.test(raw) && looksLikeName(folded) && !determiners.test(next),
    );
  }

  #term(word: string, isInitial: boolean): void {
    const plain = word.replace(/'.*$/, '');
    const isFree = /^(?:free|gratis|gratuit|complimentary)/.test(plain);
    const keys = isFree ? ['!free'] : keysOf(plain);
    this.#add({ kind: 'term', word: plain, side: sideOf(plain), isPromise: isPromise(plain), isInitial, keys });
  }

  #negation(folded: string, next: string): void {
    const isOnly = /^(?:only|just|so|apenas|somente|solo|solamente)$/.test(next);
    const isLimit = limits.test(next) && /^(?:than|de|que|do|of)$/.test(this.#words[this.#at + 2] ?? '');
    const extra = /^(?:extra|additional|adicional|any|further|nenhum|ningun)$/.test(next) ? 1 : 0;
    if (costs.test(this.#words[this.#at + 1 + extra] ?? '') && /^(?:no|without|sem|sin)$/.test(folded)) {
      this.#at += 1 + extra;
      return this.#term('free', false);
    }
    if (!isOnly && !isLimit) this.#items.push({ kind: 'not', concord: concords.test(folded) });
    this.#at += isOnly ? 2 : 1;
    this.#isInitial = false;
  }

  /** "5 March 2026", "March 5th, 2026", "5 de março de 2026", "March 2026", "March". */
  #date(): boolean {
    const [words, at] = [this.#words, this.#at];
    const skip = (from: number, what: RegExp) => (what.test(words[from] ?? '') ? 1 : 0);
    const dayAt = (from: number) => {
      const digits = /^\d{1,2}$/.test(words[from] ?? '') && Number(words[from]) <= 31 ? Number(words[from]) : undefined;
      if (digits !== undefined) return { day: digits, length: 1 + skip(from + 1, /^(?:st|nd|rd|th|o|a|º|ª)$/) };
      return /^(?:primeiro|primero)$/.test(words[from] ?? '') ? { day: 1, length: 1 } : null;
    };
    const yearAt = (from: number) => {
      const start = from + skip(from, /^(?:,|of|de|del)$/);
      return /^(?:1[5-9]|20|21)\d\d$/.test(words[start] ?? '')
        ? { year: Number(words[start]), length: start - from + 1 }
        : null;
    };
    const found = (date: CalendarDate, length: number) => {
      this.#add({ kind: 'date', date, word: words.slice(at, at + length).join(' ') }, length);
      return true;
    };
    const first = dayAt(at);
    if (first) {
      const start = at + first.length + skip(at + first.length, /^(?:of|de|del)$/);
      const month = monthOf(words[start]);
      if (month === undefined) return false;
      const year = yearAt(start + 1);
      return found({ day: first.day, month, ...(year && { year: year.year }) }, start + 1 - at + (year?.length ?? 0));
    }
    const month = monthOf(words[at]);
    if (month === undefined) return false;
    const start = at + 1 + skip(at + 1, /^the$/);
    const day = dayAt(start);
    const year = yearAt(day ? start + day.length : at + 1);
    if (day)
      return found(
        { month, day: day.day, ...(year && { year: year.year }) },
        start + day.length - at + (year?.length ?? 0),
      );
    if (year) return found({ month, year: year.year }, 1 + year.length);
    const { raw } = this.#lexemes[at] as Lexeme;
    return isMonthAlone(words[at] ?? '', raw) && !(this.#isInitial && /^ma/i.test(raw)) ? found({ month }, 1) : false;
  }

  #amount(): boolean {
    const [words, at] = [this.#words, this.#at];
    const symbol =
      this.#lexemes[at]?.kind === 'symbol' || /^(?:usd|eur|brl|gbp|mxn)$/.test(words[at] ?? '')
        ? unitOf(words[at] ?? '')
        : null;
    const start = at + (symbol ? 1 : 0);
    const digits = this.#lexemes[start]?.kind === 'number' ? valueOf(words[start] ?? '') : undefined;
    const read = numberAt(words, digits === undefined ? start : start + 1, digits);
    if (digits === undefined && !read) return this.#ofOne();
    const length = (digits === undefined ? 0 : 1) + (read?.length ?? 0);
    const value = read?.value ?? digits ?? 0;
    const after = start + length;
    const unitAt = after + (words[after] === '-' ? 1 : 0);
    const between = isBetweenUnit(words[unitAt]) ? 1 : 0;
    const given = symbol ?? this.#unitAt(unitAt + between);
    if (!given && digits === undefined && isDoubtfulNumber(words[start] ?? '') && !this.#isCounted(start, length))
      return false;
    if (this.#timeOfDay(value, after, at)) return true;
    const isWork =
      given !== null && isDays(given) && (isWorking(words[unitAt]) || isWorking(words[unitAt + between + 1]));
    const unit = isWork ? workingDay : given;
    const end = symbol || !given ? after : unitAt + between + 1 + (isWork && !isWorking(words[unitAt]) ? 1 : 0);
    this.#add({ kind: 'amount', value, unit, word: words.slice(at, end).join(' ') }, end - at);
    this.#shareUnit();
    return true;
  }

  #unitAt(at: number): Unit | null {
    const word = this.#words[at] ?? '';
    if (/^per$|^por$/.test(word) && /^(?:cent|cento|ciento)$/.test(this.#words[at + 1] ?? '')) return unitOf('percent');
    // A single letter is a unit only behind digits.
    const isLoose = word.length === 1 && /\p{L}/u.test(word) && !this.#lexemes[at]?.glued;
    return isLoose && this.#lexemes[at - 1]?.kind !== 'number' ? null : unitOf(word);
  }

  /** "dos" and the like count something in Spanish alone, "one" where no unit follows is a pronoun as often. */
  #isCounted(start: number, length: number): boolean {
    const word = this.#words[start] ?? '';
    return length > 1 || ((word === 'dos' || word === 'once') && this.#language === 's');
  }

  /** "a day" is one day, and what is said of every day has it too; "half an hour". */
  #ofOne(): boolean {
    const [words, at] = [this.#words, this.#at];
    const half = isHalf.test(words[at] ?? '') ? 1 : 0;
    const article = /^(?:a|an)$/.test(words[at + half] ?? '') && (half || this.#language !== 'p') ? 1 : 0;
    const word = words[at + half + article] ?? '';
    const unit = half || article ? unitOf(word) : null;
    if (!unit) return false;
    this.#add({ kind: 'amount', value: half ? 0.5 : 1, unit, word }, half + article + 1);
    return true;
  }

  /** "9 da manhã", "9 de la noche", "9 o'clock". */
  #timeOfDay(value: number, after: number, at: number): boolean {
    const next = this.#words.slice(after, after + 3).join(' ');
    const part =
      /^(?:da|de la|in the|at|por la) ?(manha|manana|tarde|noite|noche|madrugada|morning|afternoon|evening|night)|^(o'clock)/.exec(
        next,
      );
    if (!part || value > 24) return false;
    const isLate = /tarde|noite|noche|afternoon|evening|night/.test(part[1] ?? '') && value < 12;
    const length = after - at + part[0].split(' ').length;
    this.#add({ kind: 'time', minutes: (value + (isLate ? 12 : 0)) * 60, word: String(value) }, length);
    return true;
  }

  /** In "3 to 5 days" and "€10–20", the unit is of both. */
  #shareUnit(): void {
    const last = this.#items.at(-1);
    const one = this.#items.findLast(({ kind }, index) => kind !== 'break' && index < this.#items.length - 1);
    if (last?.kind !== 'amount' || one?.kind !== 'amount' || !ranges.test(last.before)) return;
    one.unit ??= last.unit;
    last.unit ??= one.unit;
  }
}
