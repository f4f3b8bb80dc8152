import type { ModelSettings } from '../../config/models.ts';
import type { HistoryMessage } from '../types.ts';

/** Formats that each provider's API can carry; whether a model makes use of them is configured. */
const readableTypes: Record<ModelSettings['provider'], RegExp> = {
  openai: /^(image\/(png|jpeg|gif|webp)|audio\/(wav|mpeg))$/,
  anthropic: /^image\/(png|jpeg|gif|webp)$/,
  google: /^(image\/(png|jpeg|webp)|audio\/(wav|mpeg|aac|ogg|flac))$/,
};

/** Returns a predicate for the media types a model accepts. Every configured model reads text. */
export function acceptsMedia({ provider, images, audio }: Pick<ModelSettings, 'provider' | 'images' | 'audio'>) {
  return (mediaType: string): boolean => {
    if (mediaType.startsWith('text/')) return true;
    const wanted = mediaType.startsWith('image/') ? images : mediaType.startsWith('audio/') && audio;
    return wanted && readableTypes[provider].test(mediaType);
  };
}

/**
 * The models that accept all attachments sent since the last reply, if any does: another one would reply to what it has
 * not seen.
 */
export function ableToReadMedia<Model extends { reads(mediaType: string): boolean }>(
  models: Model[],
  history: HistoryMessage[],
): Model[] {
  const sent = history.slice(history.findLastIndex(({ role }) => role === 'assistant') + 1);
  const types = sent.flatMap(({ attachments }) =>
    (attachments ?? []).flatMap(({ data, mimeType }) => (data && mimeType ? [mimeType] : [])),
  );
  const capable = models.filter(({ reads }) => types.every(reads));
  return capable.length > 0 ? capable : models;
}
