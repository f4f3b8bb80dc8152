import type { Language } from '../claims/corpus.ts';

/** Words in pairs: each says the opposite of its other one; after the second bar, what says the same as the first. */
export type Opposites = Record<Language, [words: string, opposite: string, same: string][]>;

export const bounds: Opposites = {
  english: [
    ['at least', 'at most', 'no less than'],
    ['at most', 'at least', 'no more than'],
    ['more than', 'less than', 'over'],
    ['less than', 'more than', 'under'],
    ['up to(?= (?:an? )?\\d)', 'at least', 'at most'],
    ['over(?= \\d)', 'under', 'more than'],
    ['a minimum of', 'a maximum of', 'at least'],
    ['a maximum of', 'a minimum of', 'at most'],
    ['no more than', 'no less than', 'at most'],
  ],
  portuguese: [
    ['pelo menos', 'no máximo', 'ao menos'],
    ['no mínimo', 'no máximo', 'pelo menos'],
    ['no máximo', 'pelo menos', 'até'],
    ['mais de', 'menos de', 'acima de'],
    ['menos de', 'mais de', 'abaixo de'],
    ['mais do que', 'menos do que', 'mais que'],
    ['até(?= \\d)', 'pelo menos', 'no máximo'],
  ],
  spanish: [
    ['al menos', 'como máximo', 'por lo menos'],
    ['por lo menos', 'como máximo', 'al menos'],
    ['como mínimo', 'como máximo', 'al menos'],
    ['como máximo', 'al menos', 'hasta'],
    ['más de', 'menos de', 'por encima de'],
    ['menos de', 'más de', 'por debajo de'],
    ['hasta(?= \\d)', 'al menos', 'como máximo'],
  ],
};
export const comparisons: Opposites = {
  english: [
    ['faster', 'slower', 'quicker'],
    ['slower', 'faster', 'less fast'],
    ['larger', 'smaller', 'bigger'],
    ['bigger', 'smaller', 'larger'],
    ['smaller', 'larger', 'less big'],
    ['older', 'newer', 'less new'],
    ['newer', 'older', 'more recent'],
    ['higher', 'lower', 'greater'],
    ['lower', 'higher', 'less high'],
    ['better', 'worse', 'superior'],
    ['easier', 'harder', 'simpler'],
    ['longer', 'shorter', 'lengthier'],
    ['greater', 'smaller', 'larger'],
    ['more (?=\\p{L}+ than)', 'less ', 'more '],
  ],
  portuguese: [
    ['maior', 'menor', 'mais grande'],
    ['maiores', 'menores', 'mais grandes'],
    ['menor', 'maior', 'mais pequeno'],
    ['melhor', 'pior', 'superior'],
    ['mais recente', 'mais antiga', 'mais nova'],
    ['mais (?=\\p{L}+ (?:do )?que)', 'menos ', 'mais '],
    ['superior', 'inferior', 'maior'],
    ['inferior', 'superior', 'menor'],
    ['mais (?=(?:rápid|lent|simples|complex|fác|segur)\\p{L}*)', 'menos ', 'mais '],
  ],
  spanish: [
    ['mayor', 'menor', 'más grande'],
    ['mayores', 'menores', 'más grandes'],
    ['menor', 'mayor', 'más pequeño'],
    ['mejor', 'peor', 'superior'],
    ['más reciente', 'más antigua', 'más nueva'],
    ['más (?=\\p{L}+ que)', 'menos ', 'más '],
    ['superior', 'inferior', 'mayor'],
    ['inferior', 'superior', 'menor'],
    ['más (?=(?:rápid|lent|simple|sencill|complej|fácil|segur)\\p{L}*)', 'menos ', 'más '],
  ],
};
export const orders: Opposites = {
  english: [
    ['before', 'after', 'prior to'],
    ['after', 'before', 'following'],
    ['previous', 'next', 'preceding'],
    ['first', 'last', 'first'],
    ['earlier', 'later', 'earlier'],
    ['followed by', 'preceded by', 'and then'],
  ],
  portuguese: [
    ['antes (?=d[aeo])', 'depois ', 'antes '],
    ['depois (?=d[aeo])', 'antes ', 'após '],
    ['após', 'antes de', 'depois de'],
    ['anterior', 'seguinte', 'precedente'],
    ['primeiro', 'último', 'primeiro'],
    ['primeira', 'última', 'primeira'],
  ],
  spanish: [
    ['antes (?=de)', 'después ', 'antes '],
    ['después (?=de)', 'antes ', 'después '],
    ['tras', 'antes de', 'después de'],
    ['anterior', 'siguiente', 'precedente'],
    ['primero', 'último', 'primero'],
    ['primera', 'última', 'primera'],
  ],
};
/** Who or what acts; one takes the place of another. */
export const actors: Record<Language, string[]> = {
  english:
    'user administrator developer maintainer kernel installer server client system program package command'.split(' '),
  portuguese:
    'usuário administrador desenvolvedor mantenedor núcleo instalador servidor cliente sistema programa pacote comando'.split(
      ' ',
    ),
  spanish:
    'usuario administrador desarrollador mantenedor núcleo instalador servidor cliente sistema programa paquete comando'.split(
      ' ',
    ),
};
export const article: Record<Language, string> = { english: '[Tt]he ', portuguese: '[Oo] ', spanish: '[Ee]l ' };
export const units: Record<Language, string[][]> = {
  english: [
    ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'],
    ['bytes', 'KB', 'MB', 'GB', 'TB', 'kilobytes', 'megabytes', 'gigabytes'],
    ['millimetres', 'cm', 'mm', 'inches', 'km', 'metres'],
    ['°C', '°F'],
    ['litres', 'l', 'ml'],
    ['MiB', 'GiB', 'KiB', 'TiB'],
  ],
  portuguese: [
    ['segundos', 'minutos', 'horas', 'dias', 'semanas', 'meses', 'anos'],
    ['bytes', 'KB', 'MB', 'GB', 'TB', 'megabytes', 'gigabytes'],
    ['cm', 'mm', 'polegadas', 'km', 'metros'],
    ['°C', '°F'],
    ['litros', 'l', 'ml'],
    ['MiB', 'GiB', 'KiB', 'TiB'],
  ],
  spanish: [
    ['segundos', 'minutos', 'horas', 'días', 'semanas', 'meses', 'años'],
    ['bytes', 'KB', 'MB', 'GB', 'TB', 'megabytes', 'gigabytes'],
    ['cm', 'mm', 'pulgadas', 'km', 'metros'],
    ['°C', '°F'],
    ['litros', 'l', 'ml'],
    ['MiB', 'GiB', 'KiB', 'TiB'],
  ],
};
export const months: Record<Language, string[]> = {
  english: 'January February March April May June July August September October November December'.split(' '),
  portuguese: 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(' '),
  spanish: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
};
export const small: Record<Language, string[]> = {
  english: 'two three four five six seven eight nine ten'.split(' '),
  portuguese: 'dois três quatro cinco seis sete oito nove dez'.split(' '),
  spanish: 'dos tres cuatro cinco seis siete ocho nueve diez'.split(' '),
};
export const leads: Record<Language, string[]> = {
  english: ['According to the documentation, ', 'Note that ', 'In short, ', 'The documentation says that '],
  portuguese: ['Segundo a documentação, ', 'Note que ', 'Em resumo, ', 'A documentação diz que '],
  spanish: ['Según la documentación, ', 'Tenga en cuenta que ', 'En resumen, ', 'La documentación dice que '],
};
export const ifs: Record<Language, string> = {
  english: 'if|unless|provided that|except|as long as|only when',
  portuguese: 'se|a menos que|exceto|desde que|caso|somente quando',
  spanish: 'si|a menos que|excepto|salvo|siempre que|solo cuando',
};
export const negations: Record<Language, [affirmed: RegExp, negated: RegExp, word: string]> = {
  english: [
    /\b(is|are|was|were|can|must|should|will)\b(?! not|n't|not)/,
    /(?<=\b(?:is|are|was|were|can|must|should|will|does|do|did)) ?not\b/,
    'not',
  ],
  portuguese: [
    /(?<![\p{L}])(é|são|está|foi|pode|podem|deve|devem|será|tem|permite|contém)(?![\p{L}])/u,
    /(?<![\p{L}])não /u,
    'não',
  ],
  spanish: [
    /(?<![\p{L}])(es|son|está|fue|puede|pueden|debe|deben|será|tiene|permite|contiene)(?![\p{L}])/u,
    /(?<![\p{L}])no (?=\p{L})/u,
    'no',
  ],
};
