import { fold } from '../../text/fold.ts';

export type Language = 'en' | 'pt' | 'es';

/** Common words that neither of the other two languages has (without accents). */
const markers: Record<Language, string> = {
  en: 'the is are you your what how do does can i my of and for with this that please hello hi thanks when where why which who',
  pt: 'voce voces nao sim o os um uma e do da dos das em no na com ao meu minha qual quais quanto quanta onde quem oi ola obrigado obrigada bom dia boa eu tem sao sou pra isso esta',
  es: 'usted ustedes el los las un una y del en con mi cual cuales cuanto cuanta donde quien hola gracias buenos dias buenas yo tiene son soy eso esta por que es cuando puedo quiero',
};
const words = new Map(Object.entries(markers).map(([language, list]) => [language, new Set(list.split(' '))]));

/** Returns the language of the first text in which one can be told; English by default. */
export function languageOf(...texts: (string | null | undefined)[]): Language {
  for (const text of texts) {
    const found = text && languageIn(text);
    if (found) return found;
  }
  return 'en';
}

/** Returns the language of a text; null if there is no evidence, or a tie. */
function languageIn(text: string): Language | null {
  const points: Record<Language, number> = { en: 0, pt: 0, es: 0 };
  if (/[ãõçêâ]/i.test(text)) points.pt += 2;
  if (/[ñ¿¡]/i.test(text)) points.es += 2;
  for (const word of fold(text).match(/\p{L}+/gu) ?? []) {
    for (const language of ['en', 'pt', 'es'] as const) if (words.get(language)?.has(word)) points[language]++;
  }
  const [first, second] = Object.entries(points).sort(([, a], [, b]) => b - a);
  return first && first[1] > 0 && first[1] > (second?.[1] ?? 0) ? (first[0] as Language) : null;
}
