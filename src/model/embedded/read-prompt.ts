import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/** What the embedded model reads from a prompt. */
export type ReadPrompt = {
  /** The person's last message; their earlier messages, oldest first; the agent's messages. */
  lastMessage: string;
  earlierMessages: string[];
  answered: string[];
  /** The tool results that the prompt ends with, if it does. */
  results: { name: string; content: string }[];
};

/** Reads a prompt for the embedded model. */
export function readPrompt(prompt: LanguageModelV4Prompt): ReadPrompt {
  const lastMessage = prompt.flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []));
  const answered = prompt.flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []));
  const last = prompt.at(-1);
  const results = last?.role === 'tool' ? last.content.flatMap(resultOf) : [];
  return { lastMessage: lastMessage.at(-1) ?? '', earlierMessages: lastMessage.slice(0, -1), answered, results };
}

const textOf = (parts: { type: string; text?: unknown }[]): string =>
  parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('\n');

type ToolPart = Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'][number];

function resultOf(part: ToolPart): ReadPrompt['results'] {
  if (part.type !== 'tool-result') return [];
  const { output, toolName } = part;
  if (!('value' in output)) return [];
  return [{ name: toolName, content: typeof output.value === 'string' ? output.value : JSON.stringify(output.value) }];
}
