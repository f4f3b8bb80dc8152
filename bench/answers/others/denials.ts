import type { Language } from '../claims/corpus.ts';
import { lowered } from './relations.ts';

/** Denials of a fact in the words in which people say that they do not know. */
export function denialsOf(fact: string, language: Language): string[] {
  const what = lowered(fact.replace(/\.$/, ''));
  const topic = what.split(' ').slice(0, 6).join(' ');
  return {
    english: [
      `I found nothing that says that ${what}.`,
      `It is not mentioned that ${what}.`,
      `We don't have this: ${what}.`,
      `I can confirm that it is not true that ${what}.`,
      `I don't know of any case in which ${what}.`,
      `There is no ${topic}.`,
      `We do not have information that ${what}, because it is not so.`,
      `I could not find it, so ${topic} is not supported.`,
    ],
    portuguese: [
      `Não encontrei nada que diga que ${what}.`,
      `Não consta que ${what}.`,
      `Não temos isso: ${what}.`,
      `Posso confirmar que não é verdade que ${what}.`,
      `Não sei de nenhum caso em que ${what}.`,
      `Não há ${topic}.`,
      `Não temos dados de que ${what}, porque não é assim.`,
      `Não encontrei, portanto ${topic} não é possível.`,
    ],
    spanish: [
      `No encontré nada que diga que ${what}.`,
      `No consta que ${what}.`,
      `No tenemos eso: ${what}.`,
      `Puedo confirmar que no es cierto que ${what}.`,
      `No sé de ningún caso en que ${what}.`,
      `No hay ${topic}.`,
      `No hay datos de que ${what}, porque no es así.`,
      `No lo encontré, así que ${topic} no es posible.`,
    ],
  }[language];
}
