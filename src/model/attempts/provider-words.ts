/** The most characters of a provider's error message that are shown to owners and logged. */
const maxCharacters = 300;

/** Words that are common in error messages and reveal nothing, even if the prompt contains them too. */
const allowedWords = new Set(
  (
    'a about access account after again all allowed an and any api are argument at authentication authorization available bad be ' +
    'billing but by call calls can cannot check connect connection content context could credit current deprecated did disabled ' +
    'does error exceeded exist expired failed field for format found from has have header in incorrect input internal invalid is ' +
    'it its key large length less limit longer many maximum may message messages method minute missing model more must name network ' +
    'no not of on one only or organization output parameter payment permission please plan project prompt property provided quota ' +
    'rate reached refused request requests required requires response schema see server should supported than that the this time to ' +
    'token tokens too tool tools type unauthorized unavailable unexpected unknown unsupported use used user value version was were ' +
    'with you your'
  ).split(' '),
);
/** This many consecutive words in common are no coincidence: they are redacted even if they are plain. */
const maxConsecutive = 3;

const secretShapes = [
  /\b(?:bearer|basic)\s+[^\s"',]+/gi,
  /\beyJ[\w.-]+/g,
  /\b(?:sk|pk|rk|gsk|key|xai|AIza)[-_]?[\w*.-]{8,}/g,
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@"']+@/gi,
];
/** Keys that the provider has masked itself: characters around asterisks. */
const starred = /(?<![\w-])[\w-]*\*{3,}[\w*-]*/g;
const word = /[\p{L}\p{N}_@.+*-]+/gu;

/**
 * Returns a provider's error message without the API key and without parts of the conversation: providers quote keys,
 * and pieces of the prompt, in their errors. Words that occur in the prompt are replaced by "…", except for plain words
 * of error messages.
 */
export function safeWords(
  providerText: string,
  { secret, prompt }: { secret: string | null; prompt: unknown },
): string {
  const hidden = secret ? providerText.replaceAll(secret, '***') : providerText;
  const text = [...secretShapes, starred].reduce((rest, shape) => rest.replace(shape, '***'), hidden);
  const promptText = textsIn(prompt).join('\n').toLowerCase();
  return withoutPrompt(text.replace(/\\[nrt"\\/]/g, ' ').slice(0, 2_000), promptText)
    .replace(/(?:…[\s"'`,.:;()[\]{}]*)+…/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxCharacters)
    .toWellFormed();
}

/**
 * An error code such as `invalid_api_key`: one short word that does not occur in the prompt; null for anything else.
 */
export function safeCode(code: unknown, prompt: unknown): string | null {
  if (typeof code !== 'string' || !/^[A-Za-z][\w.-]{2,63}$/.test(code)) return null;
  return textsIn(prompt).some((text) => text.toLowerCase().includes(code.toLowerCase())) ? null : code;
}

function withoutPrompt(text: string, promptText: string): string {
  if (!promptText) return text;
  const words = [...text.matchAll(word)].map((match) => ({ at: match.index, text: match[0], of: trimWord(match[0]) }));
  const hidden = words.map(({ of }) => !allowedWords.has(of) && !isNothing(of) && promptText.includes(of));
  for (let start = 0; start < words.length; start++) {
    const run = words.slice(start, start + maxConsecutive);
    const all = run.length === maxConsecutive && promptText.includes(run.map(({ of }) => of).join(' '));
    if (all) hidden.fill(true, start, start + maxConsecutive);
  }
  return words.reduceRight(
    (rest, { at, text: providerText }, index) =>
      hidden[index] ? `${rest.slice(0, at)}…${rest.slice(at + providerText.length)}` : rest,
    text,
  );
}

const trimWord = (text: string): string => text.toLowerCase().replace(/^[.+*-]+|[.+*-]+$/g, '');
/** One or two letters occur in every prompt. */
const isNothing = (text: string): boolean => text.length < 3 && !/\d/.test(text);

/** All strings of a request, except for the values of `model`, `role` and `type`. */
function textsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return key === 'model' || key === 'role' || key === 'type' ? [] : [value];
  if (typeof value === 'number') return [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name));
}
