import type { FilePart, ModelMessage, TextPart } from 'ai';
import type { ModelAttachment } from '../types.ts';
import type { ChatMessage } from './history.ts';

/** A tool name in the form that every model accepts: letters, digits, "_" and "-". */
export const wireName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64);

/**
 * Converts messages to those of the AI SDK. Images and audio are sent to models that read them, if their data is at
 * hand; all other attachments are named in the text, so that the model knows of them.
 */
export function toModelMessages(messages: ChatMessage[], reads: Reads): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (message.role === 'user') return userMessage(message, reads);
    if (message.role === 'assistant') return assistantMessage(message);
    const output = { type: 'text' as const, value: message.content };
    const result = {
      type: 'tool-result' as const,
      toolCallId: message.toolCallId,
      toolName: wireName(message.name),
      output,
    };
    return { role: 'tool', content: [result] };
  });
}

function userMessage({ content, attachments }: ChatMessage & { role: 'user' }, reads: Reads): ModelMessage {
  const readable = attachments.filter(({ data, mimeType }) => data && reads(mimeType ?? ''));
  // Text read from an attachment is already in the content, under its name.
  const others = attachments.filter((attachment) => !readable.includes(attachment) && !attachment.text);
  const named = others.map(nameOf);
  const text = [content, ...named].filter(Boolean).join('\n');
  const parts = readable.map((attachment): FilePart => {
    return { type: 'file', mediaType: attachment.mimeType ?? '', data: attachment.data ?? '' };
  });
  if (parts.length === 0) return { role: 'user', content: text };
  const words: TextPart[] = text ? [{ type: 'text', text }] : [];
  return { role: 'user', content: [...words, ...parts] };
}

/** Whether the model accepts a media type. */
type Reads = (mediaType: string) => boolean;

const nameOf = ({ type, name, mimeType, url }: ModelAttachment): string => {
  const description = [name, mimeType, url].filter(Boolean).join(', ').replace(/\s+/g, ' ');
  return `[attached ${type}: ${description || 'without a name'}]`;
};

function assistantMessage({ content, toolCalls }: ChatMessage & { role: 'assistant' }): ModelMessage {
  if (toolCalls.length === 0) return { role: 'assistant', content: content ?? '' };
  const words: TextPart[] = content ? [{ type: 'text', text: content }] : [];
  const calls = toolCalls.map(({ id, name, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId: id, toolName: wireName(name), input };
  });
  return { role: 'assistant', content: [...words, ...calls] };
}
