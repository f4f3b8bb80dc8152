/**
 * The phrases that make a question in scripts without spaces, such as "how much" or "please tell me". They are what
 * stop words are elsewhere: as bigrams, they would count as rare words that no passage contains.
 */
const anywhere = [
  // Chinese, in simplified and traditional letters.
  '请问|請問|我想知道|我想问|我想問|告诉我|告訴我|多少[钱錢]|多少|什[么麼][时時][候间間]|什[么麼]|[为為]什[么麼]|怎[么麼][样樣]|怎[么麼]|怎[样樣]|如何',
  '[哪][里裡儿兒个個些一]|[几幾][点點]|是不是|有[没沒]有|能不能|可不可以|要不要|可以|是否|[吗嗎]',
  // Japanese.
  'お?いくら|いつ|どこ|どうして|どうやって|どうすれば|ど[のれ]くらい|何[時曜]日?|何で|なぜ|教えてください|ください',
  'でしょうか|でしょう|ましたか|ますか|ませんか|ですか|です',
  // Thai.
  'กี่โมง|เท่าไหร่|เท่าไร|อย่างไร|ยังไง|ที่ไหน|เมื่อไหร่|เมื่อไร|อะไร|ทำไม|หรือไม่|ได้ไหม|หรือเปล่า',
];
// Single letters and short endings, which within a word are part of it.
const atEnd = [
  '[呢么麼]',
  'か',
  'ไหม|คะ|ครับ|ค่ะ',
  '(?:은|는|이|가)?\\s{0,3}(?:인가요|나요|습니까|입니까|어요|아요|예요|이에요)',
];
/** Korean words are spaced: each of these begins one. */
const korean = '(?<!\\p{L})(?:얼마|언제|어디|어떻게|무엇|무슨|뭐|누구|누가|왜|몇)\\p{L}*';

/** Japanese particles between words in other letters. */
const particles =
  '(?<=[\\p{Script=Han}\\p{Script=Katakana}ー])[のはがをにへとでも](?![\\p{Script=Hiragana}])|(?<=[\\p{Script=Han}\\p{Script=Katakana}ー])[のはがを](?=[おご])';

const ofQuestions = new RegExp([...anywhere, particles, `(?:${atEnd.join('|')})(?!\\p{L})`, korean].join('|'), 'gu');
const beyondLatin = /[\u0e00-\u{10ffff}]/u;

/** Replaces the phrases that only ask by spaces. Returns the text itself if nothing would be left of it. */
export function withoutQuestionPhrases(text: string): string {
  if (!beyondLatin.test(text)) return text;
  const rest = text.normalize('NFC').replace(ofQuestions, ' ');
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}
