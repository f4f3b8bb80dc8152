/**
 * Plurals of Portuguese and Spanish that the stemmers do not unite: `viagens` with `viagem`, `hotéis` with `hotel`,
 * `imágenes` with `imagen`. Words are in lower case, without accents.
 */
export type Stemming = {
  /** Normalizes a word before it is stemmed. */
  before(word: string): string;
  /** Corrects its stem. */
  after(stem: string, word: string): string;
};

/** Words that look like regular plurals of something else. `pais` may mean parents or country. */
const irregular = new Map(
  Object.entries({ maes: 'mae', leis: 'lei', reis: 'rei', bois: 'boi', herois: 'heroi', pais: 'pais', cais: 'cais' }),
);
/** Words in unstressed `-il`: `fácil`, `fáceis`. Stressed ones form `perfil`, `perfis`. */
const unstressed = /(fac|fic|ut|ag|doc|fert|foss|rept|hab|text|jet|sat|volat|portat|ster)eis$/;

export const portuguese: Stemming = {
  before(word) {
    if (word.length < 4 || !word.endsWith('s')) return word;
    const irregularForm = irregular.get(word);
    if (irregularForm) return irregularForm;
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
  // Unites `luces` with `luz`; mapping c to z instead would separate `enlaces` from `enlace`.
  after: (stem, word) => dropPlural(stem, word).replace(/z$/, 'c'),
};

/** Drops the plural ending of short words that the stemmer left unchanged: `dias`, `menus`. */
function dropPlural(stem: string, word: string): string {
  return stem === word && stem.length >= 4 && /[aeou]s$/.test(stem) ? stem.slice(0, -1) : stem;
}
