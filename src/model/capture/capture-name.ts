import { capitalized } from '../../core/capitals.ts';
import { fold } from '../../text/fold.ts';

/** Precedes a name, and hardly ever anything else. */
const strongIntro =
  /(?:\bmy (?:full )?name(?:'s| is)|\b(call me)|\bme chamo|\bmeu nome(?: completo)?(?: é| e)?:?|\bpode me chamar de|\bmi nombre es|\bme llamo|(?:^|[\n,;])[^\S\n]*(?:full name|name|nome completo|nome|nombre)\s*:)\s+/giu;
/** Precedes a name, but much else too; less so with the article that Portuguese puts before a name. */
const weak = /(?:\bI'm|\bI am|\bthis is|\beu sou|\bsou|\baqui é|\bquem fala é|\bsoy)\s+([ao]\s)?/giu;

const nameWord = /^\p{Lu}[\p{L}'-]*\p{L}\.?$/u;
const connector = /^(?:de|da|do|dos|das|di|del|della|la|las|los|van|von|der|den|bin|al)$/;

/** Often capitalised after "I'm", but not a name. */
const notNames = new Set(
  `american argentinian australian brazilian british canadian catholic chilean chinese christian colombian dutch english
  european french german indian irish italian japanese jewish latin mexican muslim portuguese russian spanish
  brasileiro brasileira brasileno brasilena diretor diretora gerente dono dona responsavel secretaria portugues portuguesa argentino argentina mexicano mexicana espanol espanola colombiano
  colombiana chileno chilena americano americana italiano italiana alemao alema frances francesa cliente advogado
  advogada medico medica professor professora engenheiro engenheira estudante looking interested here not sorry happy
  great awesome amazing perfect wonderful terrible urgent important nice cool wrong right new vegan vegetarian pregnant
  back later tomorrow today now asap soon anytime tonight when whenever any maybe amanha depois hoje agora manana ahora
  sure fine ok ceo cto cfo customer client doctor dr mr mrs from on in at a an the hi hello hey ola oi hola bom boa dia
  tarde noite buenos buenas good morning afternoon evening thanks thank obrigado obrigada gracias please por favor yes
  sim si no nao my meu mi me email e-mail mail phone telefone telefono contact contato contacto order pedido`.split(
    /\s+/,
  ),
);

const lowerStop = new Set(
  `a an the not no is on in at of my me i and but wrong spelled misspelled incorrect missing unknown private none
  nao sim esta errado errada meu minha o os as um uma de do da e mas no mal es mi y pero el la un una con com para por
  que escrito escrita important importante secret segredo secreto`.split(/\s+/),
);

/**
 * Returns the name that a text plainly states, or undefined. `reachable`: the text also contains an email or a phone
 * number.
 */
export function captureName(text: string, { reachable }: { reachable: boolean }): string | undefined {
  const plain = text.replace(/[’`´]/g, "'");
  return afterStrong(plain) ?? afterWeak(plain, reachable) ?? (reachable ? nameBesideContact(plain) : undefined);
}

function afterStrong(text: string): string | undefined {
  for (const { index, 0: intro, 1: mayBePhone } of text.matchAll(strongIntro)) {
    const rest = text.slice(index + intro.length);
    // "call me back tomorrow" asks for a call.
    const name = capitalised(rest) ?? (mayBePhone ? undefined : lowerCase(rest));
    if (name) return name;
  }
}

function afterWeak(text: string, reachable: boolean): string | undefined {
  for (const { index, 0: intro, 1: article } of text.matchAll(weak)) {
    const rest = text.slice(index + intro.length);
    const name = capitalised(rest);
    const alone = name !== undefined && /^\s*(?:[.!,;\n@(]|$)/.test(rest.slice(name.length));
    if (name && alone && (reachable || article || name.includes(' ') || isWholeMessage(text, index, rest, name)))
      return name;
  }
}

/** The whole message is like "Hi, I'm Ana." */
const isWholeMessage = (text: string, index: number, rest: string, name: string): boolean =>
  /^[\s.!]*$/.test(rest.slice(name.length)) && text.slice(0, index).trim().length <= 15;

const notContact = /^[^@\d(+,;:|<–-]+/;
const onlyContact = /^[\s,;:|<(–-]*(?:@|\+?\(?\d)[@\d\s+().,;|<>/e-]*$/u;

/** "Ana Souza, ana@example.com": just a name and contact details, on one line or two. */
function nameBesideContact(text: string): string | undefined {
  const lines = text.split('\n');
  for (const line of lines.flatMap((line, index) => [line, `${line}, ${lines[index + 1] ?? ''}`])) {
    const start = line.replace(/^[\s(]+/, '');
    const words = notContact.exec(start)?.[0];
    if (!words || !onlyContact.test(start.slice(words.length))) continue;
    const name = capitalised(words);
    if (name && name.length === words.trim().length && name.includes(' ')) return name;
  }
}

/** Up to six capitalised words at the start of a text, including the small words between them. */
function capitalised(text: string): string | undefined {
  const phrase = /^[^,;!?\n@:()\d]*/.exec(text.slice(0, 120))?.[0] ?? '';
  const nameWords: string[] = [];
  for (const word of phrase.split(' ').slice(0, 6)) {
    const isNamePart =
      nameWord.test(word) || (nameWords.length > 0 && (connector.test(word) || /^\p{Lu}\.?$/u.test(word)));
    if (!isNamePart || notNames.has(fold(word).replace('.', ''))) break;
    nameWords.push(word.length > 2 ? word.replace(/\.$/, '') : word);
    if (word.length > 2 && word.endsWith('.')) break;
  }
  while (connector.test(nameWords.at(-1) ?? '')) nameWords.pop();
  const name = nameWords.join(' ');
  return name.length >= 2 ? name : undefined;
}

/** One or two lower-case words that end the sentence, returned capitalised. */
function lowerCase(text: string): string | undefined {
  const match = /^(\p{Ll}[\p{Ll}'-]+)(?:\s(\p{Ll}[\p{Ll}'-]+))?\s*(?:[.,;!\n@]|$|\s(?:and|e|y)\s)/u.exec(text);
  const words = [match?.[1], match?.[2]].filter((word) => word !== undefined);
  if (words.length === 0 || words.some((word) => lowerStop.has(fold(word)) || notNames.has(fold(word))))
    return undefined;
  return words.map(capitalized).join(' ');
}
