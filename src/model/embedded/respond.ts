import { parsedJson } from '../../core/json.ts';
import { mainLanguageOf } from '../../text/language.ts';
import { captureContact } from '../capture/capture.ts';
import { notExecuted } from '../prompt/history.ts';
import { termsOf } from '../reply/text.ts';
import type { ReplyRequest, ToolCall } from '../types.ts';
import { chooseTools } from './choose-tools.ts';
import { type FoundAnswer, findAnswer } from './find-answer.ts';
import { type Phrases, phrases } from './phrases.ts';
import type { ReadPrompt } from './read-prompt.ts';
import { asksIdentity, isGreeting, isThanks } from './small-talk.ts';
import type { Line } from './write-answer.ts';

/** What the embedded model replies, or the tools that it calls instead. */
export type Answer = { calls: Omit<ToolCall, 'id'>[]; lines?: never } | { calls?: never; lines: Line[] };

const textAnswer = (...texts: (string | null | false)[]): Answer => ({
  lines: texts.flatMap((text) => (text ? [{ text }] : [])),
});

/** Decides how to reply: with a tool's result, a tool call, small talk, or quotes from the passages. */
export function respond(request: ReplyRequest, prompt: ReadPrompt): Answer {
  const { agent, tools } = request;
  const message = prompt.lastMessage.replace(/^\[attached [^\n]*\]$/gm, '').trim();
  const spoken = [message, ...prompt.earlierMessages.toReversed(), agent.welcome, agent.instructions];
  const words = phrases[mainLanguageOf(...spoken, ...request.passages.map(({ text }) => text)) ?? 'e'];
  if (prompt.results.length > 0) return { lines: prompt.results.flatMap((result) => readableResult(result, words)) };
  if (!message && prompt.lastMessage) return textAnswer(words.attachment);
  const choice = chooseTools(message, tools);
  if (choice?.calls) return { calls: choice.calls };
  if (choice) return textAnswer(words.missing(choice.tool, choice.missing));
  if (isGreeting(message, agent.name)) return textAnswer(agent.welcome?.trim() || words.hello(agent.name));
  if (isThanks(message)) return textAnswer(words.welcome);
  if (asksIdentity(message)) return textAnswer(words.identity(agent.name));
  return fromPassages(request, prompt, message, words);
}

function fromPassages(
  request: ReplyRequest,
  { earlierMessages, answered }: ReadPrompt,
  message: string,
  words: Phrases,
): Answer {
  const contact = captureContact(message);
  const contactGiven = Object.keys(contact).length > 0;
  const found = findAnswer(message, request.passages, termsOf(Object.values(contact).join(' ')));
  const lines: Line[] = contactGiven ? [{ text: words.thanks(contact) }] : [];
  if (found) lines.push(...quoted(found, words));
  else if (!contactGiven || message.includes('?')) lines.push(unknown(request, words));
  // A form, or the site, may have said it.
  const known = request.visitor?.known ?? [];
  const contactKnown =
    contactGiven ||
    known.includes('email') ||
    known.includes('phone') ||
    earlierMessages.some((text) => Object.keys(captureContact(text)).length > 0);
  const asksContact = request.agent.purpose === 'leads' && (request.stage ?? 'identify') === 'identify';
  if (asksContact && !contactKnown && !answered.some((text) => text.includes(words.askContact))) {
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

const maxLength = 2_000;

/** Formats a tool result for a person: text as is, an object as a list of its values. */
function readableResult({ name, content }: ReadPrompt['results'][number], words: Phrases): Line[] {
  if (content === notExecuted || content === '') return [{ text: words.notExecuted(name) }];
  return [{ text: `${words.result(name)} ${readable(content)}`.slice(0, maxLength) }];
}

function readable(content: string): string {
  const value = parsedJson(content);
  if (value === undefined) return content;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${Array.isArray(value) ? '' : `${key}: `}${inline(item)}`)
    .join(', ');
}

const inline = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
