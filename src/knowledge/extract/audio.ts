import type { Transcribe } from '../../model/transcribe.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Extracted } from './types.ts';
import { timedSections } from './youtube.ts';

/** OpenAI's limit. */
const maxBytes = 25_000_000;

/**
 * Transcribes a recording, with the time of each section. Rejects with `ExtractFailure`, also when no transcription
 * model is configured.
 */
export async function readAudio(
  bytes: Uint8Array,
  transcribe: Transcribe | null,
  signal?: AbortSignal,
): Promise<Extracted> {
  if (!transcribe) {
    throw new ExtractFailure(
      'No transcription model is configured (TRANSCRIPTION_MODEL): add the transcript in data.text',
    );
  }
  if (bytes.length > maxBytes) throw new ExtractFailure('The recording is larger than 25 MB: split it');
  const sections = timedSections(await transcribe(bytes, signal));
  if (sections.length === 0) throw new ExtractFailure('There is no speech in the recording');
  return { sections };
}
