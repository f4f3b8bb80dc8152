import { captureContact } from '../capture.ts';
import { sentencesOf, squash, termsOf } from '../text.ts';
import type { HistoryMessage } from '../types.ts';

const longest = 2_000;
const longestLine = 200;

/**
 * A summary without a model: of each thing that the visitor said the sentence that says most, and how they can be reached,
 * in their own words. The newest lines stay when it grows too long.
 */
export function extractSummary(previous: string | null, messages: HistoryMessage[]): string {
  const lines = messages.flatMap(({ role, content }) => (role === 'user' && content ? linesOf(content) : []));
  const all = [...new Set([...(previous?.split('\n') ?? []), ...lines].filter(Boolean))];
  let size = 0;
  const kept = all.reverse().filter((line) => {
    size += line.length + 1;
    return size <= longest;
  });
  return kept.reverse().join('\n');
}

function linesOf(content: string): string[] {
  const sentences = sentencesOf(content).map((sentence) => ({ sentence, weight: termsOf(sentence).size }));
  const most = sentences.toSorted((a, b) => b.weight - a.weight)[0];
  const said = most && most.weight > 0 ? [`- ${squash(most.sentence).slice(0, longestLine)}`] : [];
  const contact = Object.entries(captureContact(content)).map(([what, value]) => `${what}: ${value}`);
  return [...said, ...contact.map((line) => `- ${line}`)];
}
