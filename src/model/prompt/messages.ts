import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelAttachment } from '../types.ts';
import type { ChatMessage } from './history.ts';

/** A tool name in the form that every model accepts: letters, digits, "_" and "-". */
export const wireName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64);

/**
 * Converts messages to those of the SDK's models. Images and audio are sent to models that read them, if their data is
 * at hand; all other attachments are named in the text, so that the model knows of them.
 */
export function toModelMessages(messages: ChatMessage[], reads: Reads): LanguageModelV4Message[] {
  const converted: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = converted.at(-1);
    if (message.role === 'user') converted.push(userMessage(message, reads));
    else if (message.role === 'assistant') converted.push(assistantMessage(message));
    // The results of calls that were made together are one message.
    else if (last?.role === 'tool') last.content.push(resultOf(message));
    else converted.push({ role: 'tool', content: [resultOf(message)] });
  }
  return converted;
}

const resultOf = ({ toolCallId, name, content }: ChatMessage & { role: 'tool' }) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: wireName(name),
  output: { type: 'text' as const, value: content },
});

function userMessage({ content, attachments }: ChatMessage & { role: 'user' }, reads: Reads): LanguageModelV4Message {
  const readable = attachments.filter(({ data, mimeType }) => data && reads(mimeType ?? ''));
  // Text read from an attachment is already in the content, under its name.
  const others = attachments.filter((attachment) => !readable.includes(attachment) && !attachment.text);
  const named = others.map(nameOf);
  const text = [content, ...named].filter(Boolean).join('\n');
  const parts = readable.map(({ mimeType, data }) => ({
    type: 'file' as const,
    mediaType: mimeType ?? '',
    data: { type: 'data' as const, data: data ?? '' },
  }));
  return { role: 'user', content: [...(text || parts.length === 0 ? [words(text)] : []), ...parts] };
}

const words = (text: string) => ({ type: 'text' as const, text });

/** Whether the model accepts a media type. */
type Reads = (mediaType: string) => boolean;

const nameOf = ({ type, name, mimeType, url }: ModelAttachment): string => {
  const description = [name, mimeType, url].filter(Boolean).join(', ').replace(/\s+/g, ' ');
  return `[attached ${type}: ${description || 'without a name'}]`;
};

function assistantMessage({ content, toolCalls }: ChatMessage & { role: 'assistant' }): LanguageModelV4Message {
  const calls = toolCalls.map(({ id, name, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId: id, toolName: wireName(name), input };
  });
  return { role: 'assistant', content: [...(content || calls.length === 0 ? [words(content ?? '')] : []), ...calls] };
}
