import type { Transcribe } from '../../model/transcribe.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Extracted } from './types.ts';
import { timedSections } from './youtube.ts';

/** As much as OpenAI takes. */
const maxBytes = 25_000_000;

/** The words of a recording, each section with its time. Rejects with `ExtractFailure` when there is nobody to hear them. */
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
  if (sections.length === 0) throw new ExtractFailure('Nothing is said in the recording');
  return { sections };
}
