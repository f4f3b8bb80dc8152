import type { Context, Services } from '../../context.ts';
import { ParleyError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Agent, Message, StoredFile, Turn } from '../../database/generated/prisma/client.ts';
import type { HistoryMessage, ModelAttachment } from '../../model/service.ts';
import { TranscriptionFailure } from '../../model/transcribe.ts';
import type { Attachment } from './attachments.ts';
import { keyOf } from './stored-files.ts';

/** Limit for images and recordings in one prompt; attachments of older messages beyond it are only named. */
const maxBytes = 20_000_000;

/** What a turn reads of the messages of its conversation. */
export const historyColumns = [
  'id',
  'position',
  'role',
  'name',
  'content',
  'toolCallId',
  'toolCalls',
  'attachments',
  'createdAt',
] as const satisfies (keyof Message)[];
export type HistoryRow = Pick<Message, (typeof historyColumns)[number]>;

/** `transcribed`: the messages with transcripts of their recordings; `modelHistory`: the same as input of the model. */
type Content = { transcribed: HistoryRow[]; modelHistory: HistoryMessage[] };
type ReadRequest = { agent: Agent; turn: Turn; signal: AbortSignal };

/**
 * Prepares the attachments of messages for the agent's model: transcripts of recordings if a transcription model is
 * configured, otherwise recordings as they are; images, newest first; and the text of files. Throws 502 if a recording
 * that is to be answered cannot be transcribed, and 503.
 */
export async function readContent(context: Context, request: ReadRequest, messages: HistoryRow[]): Promise<Content> {
  const files = await filesOf(context, request.agent.workspaceId, messages);
  const transcribed: HistoryRow[] = [];
  const modelHistory: HistoryMessage[] = [];
  const remaining = { bytes: maxBytes, count: limits.attachments };
  for (const message of messages.toReversed()) {
    const attachments = message.role === 'user' ? attachmentsOf(message) : [];
    const transcripts: string[] = [];
    const modelAttachments: ModelAttachment[] = [];
    for (const attachment of attachments) {
      const file = files.get(attachment.file ?? '');
      if (file && attachment.type === 'audio' && context.transcribe)
        transcripts.push(await transcriptOf(context, request, file, message.position >= request.turn.inputFrom));
      modelAttachments.push(await toModelAttachment(context, request.agent, attachment, file, remaining));
    }
    const content = [message.content, ...transcripts].filter(Boolean).join('\n\n') || message.content;
    transcribed.unshift({ ...message, content });
    modelHistory.unshift({ ...(message as unknown as HistoryMessage), content, attachments: modelAttachments });
  }
  return { transcribed, modelHistory };
}

/** Adds the transcripts that exist already to messages. */
export async function withTranscripts<Row extends Pick<Message, 'role' | 'content' | 'attachments'>>(
  services: Pick<Services, 'database'>,
  workspaceId: string,
  rows: Row[],
): Promise<Row[]> {
  const files = await filesOf(services, workspaceId, rows);
  return rows.map((row) => {
    const recordings = attachmentsOf(row).filter(({ type }) => type === 'audio');
    const transcripts = recordings.map(({ file }) => files.get(file ?? '')?.text);
    return { ...row, content: [row.content, ...transcripts].filter(Boolean).join('\n\n') || row.content };
  });
}

async function filesOf(
  { database }: Pick<Services, 'database'>,
  workspaceId: string,
  messages: Pick<Message, 'attachments'>[],
): Promise<Map<string, StoredFile>> {
  const ids = messages.flatMap((message) => attachmentsOf(message).flatMap(({ file }) => file ?? []));
  if (ids.length === 0) return new Map();
  const files = await database.storedFile.findMany({ where: { workspaceId, id: { in: ids }, stored: true } });
  return new Map(files.map((file) => [file.id, file]));
}

const attachmentsOf = ({ attachments }: Pick<Message, 'attachments'>) => attachments as unknown as Attachment[];

/** An attachment as the model gets it: its bytes if the model can read them, its text, or only its name. */
async function toModelAttachment(
  { model, transcribe, storage }: Context,
  agent: Agent,
  { file: _, ...named }: Attachment,
  file: StoredFile | undefined,
  remaining: { bytes: number; count: number },
): Promise<ModelAttachment> {
  if (!file || (named.type === 'audio' && transcribe)) return named;
  if (named.type === 'file') return { ...named, text: file.text };
  if (!model.reads(agent, named.mimeType ?? '') || file.size > remaining.bytes || remaining.count === 0) return named;
  remaining.bytes -= file.size;
  remaining.count -= 1;
  return { ...named, data: await storage.get(keyOf(file)) };
}

/** The transcript of a recording, stored so that it is made only once. */
async function transcriptOf(
  { database, storage, transcribe, log }: Context,
  { signal }: ReadRequest,
  file: StoredFile,
  isRequired: boolean,
): Promise<string> {
  if (file.text !== null) return file.text;
  const bytes = await storage.get(keyOf(file));
  if (!bytes || !transcribe) return '';
  try {
    const transcribed = await transcribe(bytes, signal);
    const text = transcribed
      .map((piece) => piece.text.trim())
      .filter(Boolean)
      .join(' ')
      .toWellFormed();
    await database.storedFile.updateMany({ where: { workspaceId: file.workspaceId, id: file.id }, data: { text } });
    return text;
  } catch (error) {
    // The turn was stopped: it ends with the reply so far.
    if (signal.aborted) return '';
    if (!(error instanceof TranscriptionFailure)) throw error;
    log.warn({ err: error, fileId: file.id }, 'a recording could not be transcribed');
    if (!isRequired) return '';
    throw new ParleyError(
      'model_error',
      `A recording could not be transcribed: ${error.message}. The messages are stored.`,
    );
  }
}
