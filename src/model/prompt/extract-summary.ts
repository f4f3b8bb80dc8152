import { beginningOf } from '../../text/shorten.ts';
import { captureContact } from '../capture/capture.ts';
import { collapseSpaces, sentencesOf, termsOf } from '../reply/text.ts';
import type { HistoryMessage } from '../types.ts';

const maxLength = 2_000;
const maxLineLength = 200;
/** How much of a summary written by a person or another model is kept. */
const maxWrittenLength = 4_000;

/**
 * Summarises without a model: the most meaningful sentence of each of the visitor's messages, and their contact
 * details, verbatim. When it grows too long, the oldest lines go; text that is not in such lines stays at the top.
 */
export function extractSummary(previous: string | null, messages: Pick<HistoryMessage, 'role' | 'content'>[]): string {
  const { own = [], written = [] } = Object.groupBy(previous?.split('\n').filter(Boolean) ?? [], (line) =>
    line.startsWith('- ') ? 'own' : 'written',
  );
  const kept = new Set<string>();
  let remaining = maxLength;
  for (const line of newestLines(own, messages)) {
    if (kept.has(line)) continue;
    remaining -= line.length + 1;
    if (remaining < 0) break;
    kept.add(line);
  }
  return [beginningOf(written.join('\n'), maxWrittenLength), ...[...kept].reverse()].filter(Boolean).join('\n');
}

function* newestLines(own: string[], messages: Pick<HistoryMessage, 'role' | 'content'>[]): Generator<string> {
  for (const { role, content } of messages.toReversed())
    if (role === 'user' && content) yield* linesOf(content).reverse();
  yield* own.toReversed();
}

function linesOf(content: string): string[] {
  const sentences = sentencesOf(content).map((sentence) => ({ sentence, weight: termsOf(sentence).size }));
  const heaviest = sentences.toSorted((a, b) => b.weight - a.weight)[0];
  const statements =
    heaviest && heaviest.weight > 0 ? [`- ${beginningOf(collapseSpaces(heaviest.sentence), maxLineLength)}`] : [];
  const contact = Object.entries(captureContact(content)).map(([what, value]) => `${what}: ${value}`);
  return [...statements, ...contact.map((line) => `- ${line}`)];
}
