import { captureContact } from '../capture/capture.ts';
import { termsOf } from '../reply/text.ts';
import type { ReplyRequest, ToolCall } from '../types.ts';
import { chooseTools } from './choose-tools.ts';
import { type FoundAnswer, findAnswer } from './find-answer.ts';
import { languageOf } from './language.ts';
import { type Phrases, phrases } from './phrases.ts';
import type { ReadPrompt } from './read-prompt.ts';
import { readableResult } from './readable-result.ts';
import { asksIdentity, isGreeting, isThanks } from './small-talk.ts';
import type { Line } from './write-answer.ts';

/** What the embedded model replies, or the tools that it calls instead. */
export type Answer = { calls: Omit<ToolCall, 'id'>[]; lines?: never } | { calls?: never; lines: Line[] };

const say = (...texts: (string | null | false)[]): Answer => ({
  lines: texts.flatMap((text) => (text ? [{ text }] : [])),
});

/** Decides how to reply: with a tool's result, a tool call, small talk, or quotes from the passages. */
export function respond(request: ReplyRequest, heard: ReadPrompt): Answer {
  const { agent, tools } = request;
  const said = heard.said.replace(/^\[attached [^\n]*\]$/gm, '').trim();
  const words = phrases[languageOf(said, ...heard.saidBefore.toReversed(), agent.welcome, agent.instructions)];
  if (heard.results.length > 0) return { lines: heard.results.flatMap((result) => readableResult(result, words)) };
  if (!said && heard.said) return say(words.attachment);
  const wanted = chooseTools(said, tools);
  if (wanted?.calls) return { calls: wanted.calls };
  if (wanted) return say(words.missing(wanted.tool, wanted.missing));
  if (isGreeting(said, agent.name)) return say(agent.welcome?.trim() || words.hello(agent.name));
  if (isThanks(said)) return say(words.welcome);
  if (asksIdentity(said)) return say(words.identity(agent.name));
  return fromPassages(request, heard, said, words);
}

function fromPassages(
  request: ReplyRequest,
  { saidBefore, answered }: ReadPrompt,
  said: string,
  words: Phrases,
): Answer {
  const contact = captureContact(said);
  const left = Object.keys(contact).length > 0;
  const found = findAnswer(said, request.passages, termsOf(Object.values(contact).join(' ')));
  const lines: Line[] = left ? [{ text: words.thanks(contact) }] : [];
  if (found) lines.push(...quoted(found, words));
  else if (!left || said.includes('?')) lines.push(unknown(request, words));
  const knownAlready = left || saidBefore.some((text) => Object.keys(captureContact(text)).length > 0);
  const asks = request.agent.purpose === 'leads' && (request.stage ?? 'identify') === 'identify';
  if (asks && !knownAlready && !answered.some((text) => text.includes(words.askContact))) {
    lines.push({ text: words.askContact });
  }
  return { lines };
}

function quoted({ quotes, close }: FoundAnswer, words: Phrases): Line[] {
  const lines = quotes.map(({ number, passage, text, words: cited }, index): Line => {
    const named = passage.place.question || quotes[index - 1]?.passage === passage;
    const source = named ? '' : `${words.according(passage.title ?? null, passage.place)} `;
    return { text: `${source}“${text}”`, cite: { number, words: cited } };
  });
  return close ? [{ text: words.closest }, ...lines] : lines;
}

/** A restricted agent only says that it does not know; the others also say why. */
const unknown = ({ agent }: ReplyRequest, words: Phrases): Line => ({
  text: agent.freedom === 'restricted' ? words.unknown : `${words.unknown} ${words.onlyQuotes}`,
});
