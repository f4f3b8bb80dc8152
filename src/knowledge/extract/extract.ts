import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ReadPage } from '../../model/read-page.ts';
import type { Transcribe } from '../../model/transcribe.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import { runTask } from '../../sandbox/task-runner.ts';
import { cleanLine, cleanText } from './clean.ts';
import { isRecording, kindOf } from './kind.ts';
import { isGiven, type Loaded, loadContent } from './load.ts';
import { withPictures } from './pictures/read-pictures.ts';
import { contentTask } from './tasks.ts';
import type { Content, Extracted, Known, Opened, SourceContent, Validators } from './types.ts';
import { readYoutube, timedSections } from './youtube.ts';

type ExtractOptions = {
  /** The workspace of the source. */
  workspaceId: string;
  guardedFetch: GuardedFetch;
  signal?: AbortSignal;
  onProgress?: OnProgress;
  /** Transcribes recordings; without it they cannot be read. */
  transcribe?: Transcribe | null;
  /** Reads pages of a PDF from their pictures; without it, those without text are left out. */
  readPage?: ReadPage | null;
  /** What was read last: the source is not fetched again if its server reports it unchanged. */
  known?: Known | undefined;
  /** YouTube's base URL; for tests. */
  youtubeBase?: string;
};

/** Incremented when sources are read differently, so that unchanged ones are read anew. */
const readerVersion = 9;
/** Whether a source is a site to crawl, and not one that comes with its content. */
export const isCrawled = (source: SourceContent): boolean => source.type === 'site' && !isGiven(source);

/**
 * Fetches a source from its `url`, or takes the content given in `data`; the result's `read` parses it. Both steps
 * reject with `FetchFailure` or `ExtractFailure`, whose messages are for users; any other error is a bug or an outage.
 */
export async function openSource(source: SourceContent, options: ExtractOptions): Promise<Opened> {
  if (source.type === 'faq') {
    return { hash: hashOf(source.type, JSON.stringify(source.data)), read: async () => readFaq(source.data) };
  }
  if (source.type === 'youtube' && !isGiven(source)) {
    const read = await readYoutube(source.url ?? '', { ...options, base: options.youtubeBase });
    return { hash: hashOf(source.type, JSON.stringify(read)), read: async () => read };
  }
  const loaded = await loadChanged(source, options);
  if ('hash' in loaded) return loaded;
  const { content } = loaded;
  const { kind, contentType, url, ext, bytes } = content;
  const readPage = options.readPage && !kind && kindOf(bytes) === 'pdf' ? options.readPage : null;
  const validators = validatorsOf(source, loaded, options);
  const hash = hashOf(
    source.type,
    JSON.stringify([kind, contentType, url, ext]),
    bytes,
    ...(readPage ? ['pictures'] : []),
  );
  if (source.type === 'audio' && isRecording(bytes)) {
    return { hash, validators, read: () => readAudio(bytes, options.transcribe ?? null, options.signal) };
  }
  if (!readPage) return { hash, validators, read: () => runTask(contentTask, content, options) };
  return { hash, validators, read: () => readWithPictures(content, readPage, options) };
}

async function readWithPictures(content: Content, readPage: ReadPage, options: ExtractOptions): Promise<Extracted> {
  // A copy: the task runner detaches the bytes it is given.
  const bytes = Uint8Array.from(content.bytes);
  const extracted = await runTask(contentTask, { ...content, pictures: true }, options);
  return withPictures(extracted, bytes, readPage, options);
}

/** Loads the content of a source, unless its server reports it unchanged. */
async function loadChanged(source: SourceContent, { guardedFetch, signal, known, readPage }: ExtractOptions) {
  const { url, reader, pictures = false, etag, lastModified } = known?.validators ?? {};
  const isSameReader = reader === readerVersion && pictures === Boolean(readPage);
  if (!known || url !== source.url || !isSameReader) return loadContent(source, guardedFetch, { signal });
  const headers = {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
  try {
    return await loadContent(source, guardedFetch, { signal, headers });
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.status !== 304) throw error;
    const read = () => Promise.reject(new Error('What is known is not read again.'));
    return { hash: known.hash, validators: known.validators, read } satisfies Opened;
  }
}

function validatorsOf(
  { url }: SourceContent,
  { etag, lastModified }: Loaded,
  { readPage }: ExtractOptions,
): Validators | undefined {
  if (!url || !(etag || lastModified)) return undefined;
  return {
    url,
    reader: readerVersion,
    ...(readPage && { pictures: true }),
    ...(etag && { etag }),
    ...(lastModified && { lastModified }),
  };
}

/** A hash of a source's input, and of the version of the reader. */
export function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256').update(String(readerVersion));
  for (const part of parts) hash.update('\0').update(part);
  return hash.digest('base64url');
}

/** OpenAI's limit. */
const maxBytes = 25_000_000;

/**
 * Transcribes a recording, with the time of each section. Rejects with `ExtractFailure`, also when no transcription
 * model is configured.
 */
async function readAudio(bytes: Uint8Array, transcribe: Transcribe | null, signal?: AbortSignal): Promise<Extracted> {
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

const words = z.string('must be text').refine((text) => cleanText(text).trim(), 'must not be empty');
const pair = z.object({ question: words.max(2_000, 'is longer than 2,000 characters'), answer: words });
const faq = z.union([
  z.object({
    items: z.array(pair).min(1, 'must not be empty').max(10_000, 'must have at most 10,000 pairs: split it'),
  }),
  pair,
]);

/**
 * Reads `{question, answer}` or `{items: [{question, answer}, ...]}`: one section per pair. Throws `ExtractFailure`.
 */
function readFaq(data: unknown): Extracted {
  const schema = data && typeof data === 'object' && 'items' in data ? faq.options[0] : faq.options[1];
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    throw new ExtractFailure(`An FAQ needs a question and an answer: data${path} ${issue?.message ?? 'is not valid'}`);
  }
  const pairs = 'items' in parsed.data ? parsed.data.items : [parsed.data];
  const sections = pairs.map(({ question, answer }) => ({
    question: cleanLine(question, 2_000) as string,
    text: cleanText(answer),
  }));
  return { sections };
}
