import { parsedJson } from '../../core/json.ts';
import { notExecuted } from '../prompt/history.ts';
import type { Phrases } from './phrases.ts';
import type { ReadPrompt } from './read-prompt.ts';
import type { Line } from './write-answer.ts';

const maxLength = 2_000;

/** Formats a tool result for a person: text as is, an object as a list of its values. */
export function readableResult({ name, content }: ReadPrompt['results'][number], words: Phrases): Line[] {
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
