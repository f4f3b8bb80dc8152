import type { Context } from '../../context.ts';
import type { Agent } from '../../database/generated/prisma/client.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { mediaTypeOf } from '../../storage/media-type.ts';

type Sent = {
  type: 'image' | 'audio' | 'file';
  mimeType?: string | null | undefined;
  name?: string | null | undefined;
};

/** Why the agent's model cannot read attachments of this type, whatever their content; null if it can. */
export function whyTypeUnread(
  { model, transcribe }: Context,
  agent: Agent,
  { type }: Pick<Sent, 'type'>,
): string | null {
  const reads = (...mediaTypes: string[]) => mediaTypes.some((mediaType) => model.reads(agent, mediaType));
  const instead = 'choose another model for the agent, or';
  if (type === 'image' && !reads('image/png'))
    return `the agent's model does not accept images: ${instead} describe it in text.`;
  if (type === 'audio' && !transcribe && !reads('audio/wav', 'audio/mpeg', 'audio/ogg'))
    return `the agent's model does not accept audio, and no transcription model is configured (TRANSCRIPTION_MODEL): ${instead} send a transcript.`;
  if (type === 'file' && !reads('text/plain'))
    return `the agent's model does not accept files: ${instead} send the content as text.`;
  return null;
}

/** Returns the text of a file, or null for what the model reads itself; or why it cannot be read. */
export async function readAttachment(
  { model, transcribe }: Context,
  agent: Agent,
  sent: Sent,
  bytes: Uint8Array,
): Promise<{ text: string | null } | { unread: string }> {
  if (sent.type === 'file') {
    // Imported lazily: it loads the reader processes.
    const { readFileText } = await import('../../knowledge/extract/file-text.ts');
    try {
      return { text: await readFileText(agent.workspaceId, bytes, sent) };
    } catch (error) {
      if (error instanceof ExtractFailure) return { unread: `the file cannot be read: ${error.message}.` };
      throw error;
    }
  }
  const mediaType = mediaTypeOf(bytes) ?? '';
  const isTranscribed = sent.type === 'audio' && transcribe;
  if (isTranscribed || model.reads(agent, mediaType)) return { text: null };
  return { unread: `the agent's model does not accept ${mediaType}: send it as ${formats[sent.type]}.` };
}

/** Formats that any model with support for the type accepts. */
const formats = { image: 'PNG or JPEG', audio: 'WAV or MP3' };
