import { fold } from '../../text/fold.ts';
import { sentencesOf, termsOf } from '../reply/text.ts';

const numbers = `\\d|\\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|
nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|once|twice|none|dozen|um|uma|dois|duas|tres|quatro|
cinco|seis|sete|oito|nove|dez|onze|doze|treze|quatorze|catorze|quinze|dezesseis|dezasseis|dezessete|dezoito|dezenove|vinte|trinta|quarenta|
cinquenta|sessenta|setenta|oitenta|noventa|cem|cento|duzent[oa]s|mil|meia|meio|uno|una|dos|cuatro|siete|ocho|nueve|diez|once|doce|trece|catorce|
quince|dieciseis|veinte|treinta|cuarenta|cincuenta|sesenta|ochenta|noventa|cien|ciento|media|medio|\\p{L}+cient[oa]s)\\b`;
const free = `\\b(free|gratis|gratuit[oa]s?|no charge|sem custo|sin coste|sin costo|unlimited|ilimitad[oa]s?)\\b`;
const moments = `\\b(january|february|march|april|may|june|july|august|september|october|november|december|janeiro|fevereiro|marco|abril|maio|junho|
julho|agosto|setembro|outubro|novembro|dezembro|enero|febrero|marzo|mayo|junio|julio|septiembre|setiembre|octubre|noviembre|diciembre|
mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|segunda|terca|quarta|quinta|sexta|sabados?|domingos?|lunes|martes|
miercoles|jueves|viernes|days?|weeks?|weekends?|months?|years?|hours?|minutes?|noon|midnight|morning|evening|night|today|tomorrow|daily|weekly|
monthly|always|never|after|before|until|during|spring|summer|autumn|winter|immediately|dias?|semanas?|mes|meses|anos?|horas?|minutos?|
meio-dia|mediodia|manha|tarde|noite|noche|hoje|hoy|amanha|manana|diariamente|sempre|siempre|nunca|apos|depois|despues|antes|
durante|primavera|verao|verano|outono|otono|inverno|invierno)\\b`;
/** A currency, or a number that is likely money: "19.90", "199 per month", "costs 80". Years and counts are not. */
const prices = `[$€£¥₹]|\\b(usd|eur|gbp|brl|mxn|ars|clp|cop|jpy|chf|euros?|dollars?|dolar(es)?|cents?|centavos?|centimos?|pounds?|libras?|reais|real|
pesos?|yen|rupees?|francs?|francos?|crowns?|coroas?|coronas?|soles)\\b|\\d[.,]\\d{2}\\b|\\d ?(%|/|per\\b|a\\b|por\\b|al\\b|each\\b|cada\\b)|
\\b(costs?|priced?|prices|pays?|sold (at|for)|cust(a|am|o)|precos?|paga[mn]?|cuestan?|coste|precios?|valen?|valem)\\b[^.]{0,40}\\d`;
/** How long something takes is not when it is. */
const durations = `\\b(takes?|took|lasts?|lasted|leva[m]?|levou|dura[mn]?|durou|duro|demora[mn]?|tarda[n]?)\\b[^.]{0,40}?\\b(minutes?|hours?|days?|weeks?|months?|
years?|minutos?|horas?|dias?|semanas?|mes|meses|anos?)\\b`;
const hours = `\\b(at|by|from|until|till|as|das|ate|desde|las?)\\s(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|uma|duas|tres|quatro|cinco|
seis|sete|oito|nove|dez|onze|doze|una|dos|cuatro|siete|ocho|nueve|diez|once|doce)\\b`;
const clocks = `\\b\\d{1,2}([:.h]\\d{2}\\b| ?([ap]\\.?m\\b|h\\b|o'?clock|horas\\b))|\\b(noon|midnight|meio-dia|meia-noite|mediodia|medianoche)\\b`;
const places = `\\b(in|at|on|near|behind|beside|under|above|between|opposite|inside|outside|to|from|here|online|street|floor|em|no|na|nos|nas|
num|numa|ao|perto|atras|dentro|fora|aqui|rua|andar|pelo|pela|en|al|cerca|detras|fuera|calle|planta|desde|por)\\b|https?:|www\\.|@`;
const people = `\\b(we|us|you|i|they|everyone|anyone|nobody|team|staff|manager|owner|director|assistant|guide|doctor|nurse|teacher|keeper|members?|
adults?|children|customers?|guests?|nos|voce|equipe|equipa|gerente|diretora?|dono|dona|medic[oa]s?|professora?|clientes?|alunos?|todos|qualquer|
nosotros|usted|equipo|directora?|duen[oa]|encargad[oa]|personal|socios?|cualquiera)\\b`;

const pattern = (source: string) => new RegExp(source.replaceAll('\n', ''), 'u');
const [isNumber, isFree, isPrice, isMoment, isPlace, isPerson] = [numbers, free, prices, moments, places, people].map(
  pattern,
) as [RegExp, RegExp, RegExp, RegExp, RegExp, RegExp];
const [isClock, isHour] = [clocks, hours].map(pattern) as [RegExp, RegExp];
const ofDuration = new RegExp(pattern(durations), 'gu');

const asksAmount =
  /\b(how (many|much|long|often|old|far|high|tall|big|large|hot|wide|deep|heavy|fast)|quant[oa]s?|cuant[oa]s?|what (does|do|is|are) .*\b(cost|price))\b/;
/** "How many loaves …?": whoever counts something names it. */
const countedThing = /\b(?:how many|quant[oa]s|cuant[oa]s)\s(\p{L}{3,})/u;
const asksPrice = pattern(`\\b(how much(?! time)|quanto(?! tempo)|cuanto(?! tiempo)|what (does|do|is|are))\\b.*
\\b(costs?|prices?|pay|fees?|cust(a|am|o|ou)|precos?|pag(o|a|am|ar|amos|an)|cuestan?|costo|coste|precios?)\\b`);
const asksMoment = /\b(when|since when|what time|quando|cuando|(a )?que horas?)\b/;
const asksClock = /\b(what time|(a )?que horas?)\b/;
const asksPlace = /\b(where|onde|aonde|donde|adonde)\b/;
const asksPerson = /\b(who|whom|whose|quem|quien|quienes)\b/;

/**
 * A passage that contains nearly all of the question is about the person, even if only a role such as "the skipper" is
 * named.
 */
const minFullShare = 0.9;

/**
 * Whether a text may contain what a question asks for (how much, when, where, who): a number, a time, a place or a
 * person. True for other questions. `share`: how much of the question the passage contains, from 0 to 1.
 */
export function containsAskedKind(question: string, text: string, share: number): boolean {
  const [asked, folded] = [fold(question), fold(text)];
  if (asksAmount.test(asked) && asksPrice.test(asked)) return isPrice.test(folded) || isFree.test(folded);
  if (asksAmount.test(asked)) {
    const [, thing = ''] = countedThing.exec(asked) ?? [];
    if (termsOf(thing).difference(termsOf(folded)).size > 0) return false;
    return isNumber.test(folded) || isFree.test(folded) || isMoment.test(folded);
  }
  if (asksMoment.test(asked)) {
    const rest = folded.replace(ofDuration, ' ');
    return /\d/.test(rest) || isMoment.test(rest) || isHour.test(rest);
  }
  if (asksPerson.test(asked))
    return share >= minFullShare || isPerson.test(folded) || namesIn(text).some((name) => !asked.includes(fold(name)));
  return asksPlace.test(asked) ? isPlace.test(folded) : true;
}

/** Tells which texts have the time of day that a question asks for; null for other questions. */
export const hasAskedTime = (question: string): ((text: string) => boolean) | null =>
  asksClock.test(fold(question)) ? (text) => isClock.test(fold(text)) : null;

/** The names in the sentences that ask, without whoever is spoken to: "Hello Ada, …". */
export function askedNames(message: string): string[] {
  const sentences = sentencesOf(message);
  const asking = sentences.filter((sentence) => /\?\W*$/.test(sentence));
  return (asking.length > 0 ? asking : sentences).flatMap((sentence) =>
    namesIn(sentence.replace(/\p{Lu}[\p{L}'’]+[,!]/gu, ',')),
  );
}

/** Capitalised words that do not start a sentence. */
const namesIn = (text: string): string[] => text.match(/(?<=[\p{L}\p{N},;]["”»)]?\s+)\p{Lu}[\p{L}\p{N}'’]+/gu) ?? [];
