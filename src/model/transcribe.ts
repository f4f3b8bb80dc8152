import { z } from 'zod';
import { parsedJson } from '../core/json.ts';
import { DeadlinePassed, withTimeout } from '../net/deadline.ts';
import { providerFetch } from './providers/provider-fetch.ts';

/** A piece of speech and its start, in seconds. */
type TranscriptLine = { time: number; text: string };
/** Transcribes a recording. Rejects with `TranscriptionFailure`. */
export type Transcribe = (audio: Uint8Array, signal?: AbortSignal) => Promise<TranscriptLine[]>;

/** Why a recording was not transcribed, in a message for users. */
export class TranscriptionFailure extends Error {
  override name = 'TranscriptionFailure';
  readonly retryable: boolean;

  constructor(message: string, retryable = false, cause?: unknown) {
    super(message, { cause });
    this.retryable = retryable;
  }
}

type Settings = { baseUrl: string; name: string; apiKey: string | null; timeoutMs: number };

const transcript = z.object({
  text: z.string(),
  segments: z.array(z.object({ start: z.number(), text: z.string() })).optional(),
});

/**
 * Transcribes through an endpoint that speaks OpenAI's audio transcriptions API. Times are included if the model
 * reports them.
 */
export function createTranscribe(settings: Settings): Transcribe {
  return async (audio, signal) => {
    const answer = await withTimeout(
      settings.timeoutMs,
      (stop) => requestTranscript(settings, audio, stop),
      signal,
    ).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      const why = error instanceof DeadlinePassed ? 'did not answer in time' : 'could not be reached';
      throw new TranscriptionFailure(`The transcription model ${why}`, true, error);
    });
    if (typeof answer === 'number') {
      const isTransient = answer === 429 || answer >= 500;
      throw new TranscriptionFailure(`The transcription model responded with ${answer}`, isTransient);
    }
    const { data } = transcript.safeParse(parsedJson(answer));
    if (!data) throw new TranscriptionFailure('The transcription model returned no text');
    return data.segments?.length
      ? data.segments.map(({ start, text }) => ({ time: Math.floor(start), text: text.trim() }))
      : [{ time: 0, text: data.text }];
  };
}

/** The text of the response, or its status if it is an error. */
async function requestTranscript(settings: Settings, audio: Uint8Array, signal: AbortSignal): Promise<string | number> {
  const timed = await send(settings, audio, 'verbose_json', signal);
  // Some models support only the plain format.
  const isPlain = timed.status === 400;
  if (isPlain) await timed.body?.cancel();
  const response = isPlain ? await send(settings, audio, 'json', signal) : timed;
  if (response.ok) return response.text();
  await response.body?.cancel();
  return response.status;
}

function send({ baseUrl, name, apiKey }: Settings, audio: Uint8Array, format: string, signal: AbortSignal) {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(audio)]), `audio.${formatOf(audio)}`);
  body.set('model', name);
  body.set('response_format', format);
  return providerFetch(`${baseUrl.replace(/\/$/, '')}/audio/transcriptions`, {
    method: 'POST',
    headers: { ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    body,
    signal,
  });
}

/** The file extension that tells the endpoint the format. */
function formatOf(audio: Uint8Array): string {
  const head = Buffer.from(audio.buffer, audio.byteOffset, Math.min(audio.length, 12)).toString('latin1');
  if (head.startsWith('OggS')) return 'ogg';
  if (head.startsWith('fLaC')) return 'flac';
  if (head.startsWith('RIFF')) return 'wav';
  if (head.startsWith('\x1aE\xdf\xa3')) return 'webm';
  return head.includes('ftyp') ? 'm4a' : 'mp3';
}
