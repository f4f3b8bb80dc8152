import { capitalized } from '../../core/capitals.ts';
import { fold } from '../../text/fold.ts';
import { captureContact } from '../capture/capture.ts';
import { greetings, thanks } from '../embedded/small-talk.ts';
import { mark } from '../reply/marks.ts';
import { collapseSpaces, termsOf } from '../reply/text.ts';

/**
 * Words of courtesy that state nothing, besides greetings and thanks. Not "yes", "sure" or "of course", which are
 * answers.
 */
const politeWords = `welcome glad pleasure nice meet happy sorry apologize apologies understand moment please check checking
  noted assistant virtual ai bot digital help assist question questions anything else name email mail phone contact
  contacting message here wonderful excellent ask inconvenience
  nada prazer desculpe desculpa desculpas lamento entendo momento aguarde verificar anotei assistente ajudar ajuda pergunta
  perguntas duvida duvidas nome telefone contato mensagem aqui disposicao agradeco bem vindo vinda seja
  favor avisar avise algo tiver precisar quiser houver possa tenha estou estamos fico peco
  transtorno espero ajudado
  placer perdon disculpe disculpas entiendo espere anote asistente ayudar ayuda ayudarle pregunta preguntas duda dudas
  nombre correo contacto mensaje agradezco encantado encantada bienvenido bienvenida
  necesita tenga pueda quiera estoy quedo buen digame aviseme pido molestias espera haber ayudado`;
const talkWords = new Set(`${greetings} ${thanks} ${politeWords}`.split(/\s+/));
const talkTerms = new Set([...talkWords].flatMap((word) => [...termsOf(word)]));

/** Phrases of courtesy whose words would mean something elsewhere. Folded. */
const politePhrases =
  /(?<!\p{L})(?:(?:do not|don't) hesitate to|feel free to|take care|one moment|i hope (?:this|that|it) helps|nao hesite em|entrar em contato|fique a vontade para|no que precisar|no dudes? en|ha sido|(?:(?:alguma|alguna|outra|otra|qualquer|cualquier) ){1,2}(?:duvida|pergunta|coisa|duda|pregunta|cosa))(?!\p{L})/gu;
/** A condition decides nothing. "Se" and "si" before such a verb are no "if": "se puede", "sí puede". */
const conditions =
  /(?<!\p{L})(?:if|caso|(?:se|si)(?! (?:usted(?:es)? )?(?:pode|podem|puede|pueden|deve|devem|debe|deben)(?!\p{L})))(?!\p{L})[^,.;:!?]*/gu;

/** What answers a question without a word that states anything: "Sorry, you cannot.", "You can do that here." */
const decisions = [
  /(?<!\p{L})(?:no|not|cannot|never|none|nao|nunca|jamais|jamas|sem|sin|nem|ni|\p{L}+n't|sim|ha|hay)(?!\p{L})/u,
  /(?<!\p{L})there(?:'s| is| are| was| were)(?!\p{L})/u,
  // "You can." and "You can do that here.", but not "You can ask me" nor "anything that you need".
  verbsThatDecide(
    '(?<!(?<!\\p{L})(?:anything|something|whatever|what|else|questions?|help)(?: that)? )(?:you|it|that|this|they|one) (?:\\p{L}+ )?',
    'can|could|may|might|must|should|need|will|would|do|does|have|has',
    'here|there|that|this|it|so|do|now',
  ),
  verbsThatDecide(
    '(?<!(?<!\\p{L})que (?:(?:voces?|usted(?:es)?) )?)',
    'pode|podem|deve|devem|tem|precisa|precisam|puede|pueden|debe|deben|tiene|tienen|necesita|necesitan',
    'aqui|ali|alli|isso|isto|eso|esto',
  ),
];

/** Such a verb after `before`, at the end of its clause or with one of the words that only point. */
function verbsThatDecide(before: string, verbs: string, pointers: string): RegExp {
  const end = `(?:(?: \\p{L}+){0,2} (?:${pointers})(?!\\p{L})|\\s*(?:$|[^\\p{L}\\s]))`;
  return new RegExp(`(?<!\\p{L})${before}(?:${verbs})(?!\\p{L})${end}`, 'u');
}

/** Whether a sentence merely greets, thanks, apologises or addresses someone by a known name. */
export function isSmallTalk(sentence: string, known: Set<string>): boolean {
  // "Sí" is "yes", and "si" is "if".
  const accented = sentence.normalize('NFC').replace(/(?<!\p{L})sí(?!\p{L})/giu, 'sim');
  const folded = collapseSpaces(fold(accented).replace(/[’`´]/g, "'"));
  const said = folded.replace(politePhrases, ' please ');
  const words = said.match(/\p{L}+/gu) ?? [];
  if (!words.some((word) => talkWords.has(word))) return false;
  const decided = said.replace(conditions, ',');
  if (decisions.some((decision) => decision.test(decided))) return false;
  const names = [...termsOf(sentence)].filter((term) => /^[A-Z]/.test(term));
  return [...termsOf(said), ...names].every((term) => talkTerms.has(term) || known.has(term));
}

/** The terms of a person's name and contact details, as they stated them. */
export const contactTerms = (texts: string[]): Set<string> =>
  termsOf(Object.values(captureContact(texts.join('\n'))).join(' '));

/** What is known: numbers, terms and links. */
export type Said = { numbers: Set<string>; terms: Set<string>; links: Set<string> };

/**
 * Sentences that speak of what the agent knows or found. What says how the world is, such as "is not covered", is none.
 */
const admissions = [
  /\b(?:do not|don't|did not|didn't) (?:\w+ ){0,2}?know\b/,
  /\b(?:i|we) (?:\w+ ){0,2}?(?:cannot|can't|could not|couldn't|did not|didn't|do not|don't|am unable to|am not able to|was unable to) (?:\w+ ){0,2}?(?:find|found|tell|say|answer|see|confirm|help)\b/,
  /\b(?:i'm|i am) (?:not able|unable) to (?:\w+ ){0,2}?(?:find|tell|say|answer|see|confirm|help)\b/,
  /\b(?:i|we) (?:\w+ ){0,2}?(?:do not|don't) (?:\w+ ){0,2}?have (?:\w+ ){0,3}?(?:information|details|answer|knowledge|data)\b/,
  /\b(?:there is|there's|i have|i found|found) (?:no (?:\w+ ){0,2}?(?:information|answer|details|knowledge|passage|mention)|nothing about)\b/,
  /\b(?:is|are|was) not (?:\w+ ){0,2}?in (?:my|the|these) (?:knowledge|documents|passages|sources)\b/,
  /\bnão (?:\p{L}+ ){0,2}?(?:sei|encontrei|encontro|localizei|saberia)\b/u,
  /\bnão (?:\p{L}+ ){0,2}?(?:posso|consigo) (?:\p{L}+ ){0,2}?(?:responder|dizer|confirmar|encontrar|informar|ajudar)\b/u,
  /\bnão (?:tenho|temos|há) (?:\p{L}+ ){0,3}?(?:informaç\p{L}+|resposta|dados|detalhes)\b/u,
  /\bno (?:lo )?(?:sé|encontré|encuentro|sabría)(?![\p{L}])/u,
  /\bno (?:\p{L}+ ){0,2}?(?:puedo) (?:\p{L}+ ){0,2}?(?:responder|decir|confirmar|encontrar|informar|ayudar)\p{L}*/u,
  /\bno (?:tengo|tenemos|dispongo|dispongo de|hay) (?:\p{L}+ ){0,3}?(?:información|respuesta|datos|detalles)(?![\p{L}])/u,
  /\bno (?:\p{L}+ ){0,2}?encontr[ée]\b/u,
];
/** Each of them has one of these; most sentences have none. */
const denial = /(?:not|n't|no|não|nothing|unable) /;
/** Where another clause may begin. */
const clauseEnd =
  /[,;:—–.!?…]\s|\s[-–—]\s|\s(?=(?:but|however|though|although|because|except|and|so|only|mas|porém|contudo|embora|porque|exceto|salvo|e|pero|aunque|excepto|y|sino)\s)/giu;
const conjunction =
  /^(?:but|however|though|although|because|except|and|so|only|mas|porém|contudo|embora|porque|exceto|salvo|e|pero|aunque|excepto|y|sino)[\s,]+/iu;
const maxAdmission = 400;

/**
 * A sentence that says that the answer is not known, with `unknown` in the place of those words: what a model says that
 * it does not know may be a denial of what stands in a source. Of its other clauses, `tell` returns what is told. Null
 * if it says no such thing, or if another clause is not in order.
 */
export function restateAdmission(
  sentence: string,
  unknown: string,
  isBacked: (clause: string) => boolean,
  tell: (clauses: string) => string,
): string | null {
  const clauses = clausesOf(sentence);
  if (sentence.length > maxAdmission || !clauses.some(isAdmission)) return null;
  const others = clauses.filter((clause) => !isAdmission(clause) && !isScrap(clause.text));
  if (!others.every(({ text }) => isBacked(text.replace(conjunction, '')))) return null;
  const parts: (string | Clause)[] = [];
  for (const clause of clauses) {
    const last = parts.at(-1);
    if (isAdmission(clause)) {
      if (!parts.includes(unknown)) parts.push(unknown);
    } else if (others.includes(clause)) {
      if (typeof last === 'object') last.end = clause.end;
      else parts.push({ ...clause });
    }
  }
  return parts
    .map((part) => (typeof part === 'string' ? part : closed(tell(alone(sentence.slice(part.start, part.end))))))
    .filter(Boolean)
    .join(' ');
}

/** Clauses as a sentence of their own. */
const alone = (clauses: string): string => capitalized(clauses.replace(conjunction, '').trim());

type Clause = { text: string; start: number; end: number };

/** Does not look for clauses within the marks of citations. */
function clausesOf(sentence: string): Clause[] {
  const plain = sentence.replace(mark, (found) => 'x'.repeat(found.length));
  const clauses: Clause[] = [];
  let start = 0;
  for (const found of [...plain.matchAll(clauseEnd), { 0: '', index: sentence.length }]) {
    const end = found.index;
    const text = sentence.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(plain.slice(start, end))) clauses.push({ text, start, end });
    start = end + found[0].length;
  }
  return clauses;
}

function isAdmission({ text }: Pick<Clause, 'text'>): boolean {
  const plain = text.replace(mark, '').toLowerCase().replace(/[’`´]/g, "'").normalize('NFC');
  return denial.test(plain) && admissions.some((pattern) => pattern.test(plain));
}

/** A clause that became a sentence of its own. */
function closed(text: string): string {
  const trimmed = text.trim();
  return /[.!?…](?:[ \t]*\[[^\]\n]*\])*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** A word of a list or of an apology, which has no room for a statement. */
const isScrap = (clause: string): boolean =>
  termsOf(clause).size <= 1 &&
  !/\b(?:is|are|was|were|has|have|does|do|é|são|foi|tem|es|son|fue|tiene|hay)\b/iu.test(clause);

const asks =
  /^(?:who|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|may|might|would|will|shall|should|have|has|in what|for what|quem|que|qual|quais|quando|onde|quanto|quantos|quanta|quantas|como|por que|em que|posso|pode|podes|poderia|gostaria|deseja|quer|queres|precisa|tem|tens|há|ha|é|são|você|seria|ajudo|de que|para que|quién|qué|cuál|cuáles|cuándo|dónde|cuánto|cuántos|cuánta|cuántas|cómo|en qué|de qué|para qué|puedo|puede|podría|quiere|desea|necesita|tiene|le|te|hay|es|son|sería|quieres|necesitas)(?![\p{L}])/iu;
const marksBefore = /^[¿"“*_\s]+/u;
const opens = /^(?:[^,.;:?]{1,40}[,.!:]\s+)?[¿"“*_\s]*/u;
/** What states something in the form of a question. */
const presupposes =
  /\b(?:did you know|you know|do you know that|know that|aware that|sabia que|sabias que|sabía que|sabe que|sabes que|since|because|given that|já que|ya que|porque|pois|our|nosso|nossa|nossos|nossas|nuestro|nuestra|nuestros|nuestras)\b/iu;
const tag =
  /[,.–—]\s*(?:right|correct|ok|okay|true|yes|no|is it|isn't it|aren't they|don't you|doesn't it|certo|correto|verdade|verdad|né|não é|não|sim|sí|si|cierto|correcto|no es así|viu|tá)\s*[?？]/iu;

/** Whether a sentence only asks the visitor something, and claims nothing that is not known. */
export function isQuestion(sentence: string, { terms }: Said): boolean {
  if (!/[?？]["”»)*_\s]*$/.test(sentence) || sentence.length > 300) return false;
  const text = sentence.trim();
  const question = asks.test(text.replace(marksBefore, '')) ? text.replace(marksBefore, '') : text.replace(opens, '');
  if (tag.test(text) || !asks.test(question) || /[.!?;:—–]\s/.test(question)) return false;
  const isNew = (part: string) => [...termsOf(part)].some((term) => !terms.has(term) && !talkTerms.has(term));
  const lead = text.slice(0, text.length - question.length);
  return !isNew(lead) && !(presupposes.test(text) && isNew(question));
}
