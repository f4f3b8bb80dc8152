import type { FilePart, ModelMessage, TextPart } from 'ai';
import { type ChatMessage } from './history.ts';
import type { ModelAttachment } from './types.ts';

/** A tool's name as every model takes it: letters, digits, "_" and "-". */
export const wireName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64);

/**
 * Messages in the shape of the AI SDK. With `media`, images and audio of the last user message are shown to the model
 * when their data is here; all other attachments are named in the text, so that the model knows of them.
 */
export function toModelMessages(messages: ChatMessage[], media: boolean): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index): ModelMessage => {
    if (message.role === 'user') return userMessage(message, media && index === last);
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

function userMessage({ content, attachments }: ChatMessage & { role: 'user' }, media: boolean): ModelMessage {
  const shown = attachments.filter((attachment) => media && isShown(attachment));
  const named = attachments.filter((attachment) => !shown.includes(attachment)).map(nameOf);
  const text = [content, ...named].filter(Boolean).join('\n');
  const parts = shown.map((attachment): FilePart => {
    return { type: 'file', mediaType: attachment.mimeType ?? '', data: attachment.data ?? '' };
  });
  if (parts.length === 0) return { role: 'user', content: text };
  const words: TextPart[] = text ? [{ type: 'text', text }] : [];
  return { role: 'user', content: [...words, ...parts] };
}

const isShown = ({ type, data, mimeType }: ModelAttachment): boolean =>
  Boolean(data) && (type === 'image' ? /^image\/\w/ : /^audio\/(wav|mp3|mpeg)$/).test(mimeType ?? '');

const nameOf = ({ type, name, mimeType, url }: ModelAttachment): string =>
  `[attached ${type}: ${[name, mimeType, url].filter(Boolean).join(', ') || 'without a name'}]`;

function assistantMessage({ content, toolCalls }: ChatMessage & { role: 'assistant' }): ModelMessage {
  if (toolCalls.length === 0) return { role: 'assistant', content: content ?? '' };
  const words: TextPart[] = content ? [{ type: 'text', text: content }] : [];
  const calls = toolCalls.map(({ id, name, arguments: input }) => {
    return { type: 'tool-call' as const, toolCallId: id, toolName: wireName(name), input };
  });
  return { role: 'assistant', content: [...words, ...calls] };
}
