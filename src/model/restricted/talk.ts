import { fold } from '../../text/fold.ts';
import { captureContact } from '../capture/capture.ts';
import { greetings, thanks } from '../embedded/small-talk.ts';
import { termsOf } from '../reply/text.ts';

/**
 * Words of courtesy that state nothing, besides greetings and thanks. Not "yes", "sure" or "of course", which are
 * answers.
 */
const courtesy = `welcome glad pleasure nice meet happy sorry apologize apologies understand moment please check checking
  noted assistant virtual ai bot digital help assist question questions anything else name email mail phone contact
  contacting message here wonderful excellent
  nada prazer desculpe desculpa desculpas lamento entendo momento aguarde verificar anotei assistente ajudar ajuda pergunta
  perguntas duvida duvidas nome telefone contato mensagem aqui disposicao agradeco bem vindo vinda seja
  placer perdon disculpe disculpas entiendo espere anote asistente ayudar ayuda ayudarle pregunta preguntas duda dudas
  nombre correo contacto mensaje agradezco encantado encantada bienvenido bienvenida`;
const words = new Set(`${greetings} ${thanks} ${courtesy}`.split(/\s+/));
const talkTerms = new Set([...words].flatMap((word) => [...termsOf(word)]));

/** Whether a sentence merely greets, thanks, apologises or addresses someone by a known name. */
export function isTalk(sentence: string, known: Set<string>): boolean {
  const said = fold(sentence).match(/\p{L}+/gu) ?? [];
  if (!said.some((word) => words.has(word))) return false;
  return [...termsOf(sentence)].every((term) => talkTerms.has(term) || known.has(term));
}

/** The terms of a person's name and contact details, as they stated them. */
export const contactTerms = (texts: string[]): Set<string> =>
  termsOf(Object.values(captureContact(texts.join('\n'))).join(' '));

const admissions = [
  /\b(?:do not|don't|cannot|can't|could not|couldn't|did not|didn't|unable to|not able to) (?:\w+ ){0,3}?(?:know|find|found|have|answer|tell|say|help|see)\b/,
  /\bno (?:\w+ ){0,2}?(?:information|answer|details|knowledge|passage)\b|\bnot (?:\w+ ){0,2}?(?:mentioned|covered|in my knowledge)\b/,
  /\bnao (?:\w+ ){0,3}?(?:sei|encontrei|encontro|tenho|consta|posso|consigo|localizei|saberia)\b/,
  /\bno (?:\w+ ){0,3}?(?:se|encontre|encuentro|tengo|consta|puedo|sabria|dispongo)\b/,
];
const goesOn =
  /\b(?:but|however|though|although|because|except|mas|porem|contudo|embora|porque|exceto|pero|aunque|salvo)\b|[:;—–]/;

/** Whether a sentence says only that the answer is not known. */
export function admits(sentence: string): boolean {
  const text = fold(sentence.replace(/[’`´]/g, "'"));
  return text.length <= 300 && !goesOn.test(text) && admissions.some((pattern) => pattern.test(text));
}
