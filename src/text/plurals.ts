/**
 * What the stemmers leave apart of the plurals of Portuguese and Spanish: `viagens` from `viagem`, `hotéis` from `hotel`,
 * `imágenes` from `imagen`. Words come in lower case, without accents.
 */
export type Stemming = {
  /** The word as it is stemmed. */
  before(word: string): string;
  /** What is made of its stem. */
  after(stem: string, word: string): string;
};

/** Words that look like other plurals than they are. `pais` may be fathers or a country. */
const alone = new Map(
  Object.entries({ maes: 'mae', leis: 'lei', reis: 'rei', bois: 'boi', herois: 'heroi', pais: 'pais', cais: 'cais' }),
);
/** Ends of words in `-il` that are not stressed there: `fácil`, `fáceis`; stressed, it is `perfil`, `perfis`. */
const unstressed = /(fac|fic|ut|ag|doc|fert|foss|rept|hab|text|jet|sat|volat|portat|ster)eis$/;

export const portuguese: Stemming = {
  before(word) {
    if (word.length < 4 || !word.endsWith('s')) return word;
    const known = alone.get(word);
    if (known) return known;
    if (/[ao]es$/.test(word)) return `${word.slice(0, -3)}ao`;
    if (word.endsWith('ns')) return `${word.slice(0, -2)}m`;
    if (/[cdglnu]eses$/.test(word)) return word.slice(0, -2);
    if (unstressed.test(word)) return `${word.slice(0, -3)}il`;
    if (/[aeou]is$/.test(word)) return `${word.slice(0, -2)}l`;
    return /[bcdfnrtvz]is$/.test(word) ? `${word.slice(0, -2)}il` : word;
  },
  after: dropPlural,
};

export const spanish: Stemming = {
  before: (word) => (/([^aeiou]en|[aeiou]d|[cdglnru]es|us)es$/.test(word) ? word.slice(0, -2) : word),
  // `luces` from `luz`; the other way round would take `enlaces` from `enlace`.
  after: (stem, word) => dropPlural(stem, word).replace(/z$/, 'c'),
};

/** A short word that was left as it is: `dias`, `menus`. */
function dropPlural(stem: string, word: string): string {
  return stem === word && stem.length >= 4 && /[aeou]s$/.test(stem) ? stem.slice(0, -1) : stem;
}
