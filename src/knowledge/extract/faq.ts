import { z } from 'zod';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { cleanLine, cleanText } from './clean.ts';
import type { Extracted } from './types.ts';

const words = z.string('must be text').refine((text) => cleanText(text).trim(), 'must not be empty');
const pair = z.object({ question: words.max(2_000, 'is longer than 2,000 characters'), answer: words });
const faq = z.union([
  z.object({
    items: z.array(pair).min(1, 'must not be empty').max(10_000, 'must have at most 10,000 pairs: split it'),
  }),
  pair,
]);

/**
 * Reads `{question, answer}` or `{items: [{question, answer}, ...]}`: one section per pair. Throws `ExtractFailure`.
 */
export function readFaq(data: unknown): Extracted {
  const schema = data && typeof data === 'object' && 'items' in data ? faq.options[0] : faq.options[1];
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    throw new ExtractFailure(`An FAQ needs a question and an answer: data${path} ${issue?.message ?? 'is not valid'}`);
  }
  const pairs = 'items' in parsed.data ? parsed.data.items : [parsed.data];
  const sections = pairs.map(({ question, answer }) => ({
    question: cleanLine(question, 2_000) as string,
    text: cleanText(answer),
  }));
  return { sections };
}
