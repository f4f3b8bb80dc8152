import { z } from 'zod';
import { providerFetch } from './attempts/provider-fetch.ts';

/** A piece of speech and its start, in seconds. */
type TranscriptLine = { time: number; text: string };
/** Transcribes a recording. Rejects with `TranscriptionFailure`. */
export type Transcribe = (audio: Uint8Array, signal?: AbortSignal) => Promise<TranscriptLine[]>;

/** Why a recording was not transcribed, in a message for users. */
export class TranscriptionFailure extends Error {
  override name = 'TranscriptionFailure';
  readonly retryable: boolean;

  constructor(message: string, retryable = false) {
    super(message);
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
    const timed = await requestTranscript(settings, audio, 'verbose_json', signal);
    // Some models support only the plain format.
    const response = timed.status === 400 ? await requestTranscript(settings, audio, 'json', signal) : timed;
    if (!response.ok) {
      await response.body?.cancel();
      const isTransient = response.status === 429 || response.status >= 500;
      throw new TranscriptionFailure(`The transcription model responded with ${response.status}`, isTransient);
    }
    const { data } = transcript.safeParse(await response.json().catch(() => null));
    if (!data) throw new TranscriptionFailure('The transcription model returned no text');
    return data.segments?.length
      ? data.segments.map(({ start, text }) => ({ time: Math.floor(start), text: text.trim() }))
      : [{ time: 0, text: data.text }];
  };
}

async function requestTranscript(
  { baseUrl, name, apiKey, timeoutMs }: Settings,
  audio: Uint8Array,
  format: string,
  signal?: AbortSignal,
) {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(audio)]), `audio.${formatOf(audio)}`);
  body.set('model', name);
  body.set('response_format', format);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await providerFetch(`${baseUrl.replace(/\/$/, '')}/audio/transcriptions`, {
      method: 'POST',
      headers: { ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const slow = timeout.aborted;
    throw new TranscriptionFailure(
      `The transcription model ${slow ? 'did not answer in time' : 'could not be reached'}`,
      true,
    );
  }
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
