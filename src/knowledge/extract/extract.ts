import { createHash } from 'node:crypto';
import type { Transcribe } from '../../model/transcribe.ts';
import { FetchFailure } from '../../net/fetch-failure.ts';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { OnProgress } from '../../sandbox/task.ts';
import { runTask } from '../../sandbox/task-runner.ts';
import { readAudio } from './audio.ts';
import { readFaq } from './faq.ts';
import { isRecording } from './kind.ts';
import { isGiven, type Loaded, loadContent } from './load.ts';
import { contentTask } from './tasks.ts';
import type { Known, Opened, SourceContent, Validators } from './types.ts';
import { readYoutube } from './youtube.ts';

type ExtractOptions = {
  /** The workspace of the source. */
  workspaceId: string;
  guardedFetch: GuardedFetch;
  signal?: AbortSignal;
  onProgress?: OnProgress;
  /** Transcribes recordings; without it they cannot be read. */
  transcribe?: Transcribe | null;
  /** What was read last: the source is not fetched again if its server reports it unchanged. */
  known?: Known | undefined;
  /** YouTube's base URL; for tests. */
  youtubeBase?: string;
};

/** Incremented when sources are read differently, so that unchanged ones are read anew. */
const readerVersion = 5;
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
  const validators = validatorsOf(source, loaded);
  const hash = hashOf(source.type, JSON.stringify([kind, contentType, url, ext]), bytes);
  if (source.type === 'audio' && isRecording(bytes)) {
    return { hash, validators, read: () => readAudio(bytes, options.transcribe ?? null, options.signal) };
  }
  return { hash, validators, read: () => runTask(contentTask, content, options) };
}

/** Loads the content of a source, unless its server reports it unchanged. */
async function loadChanged(source: SourceContent, { guardedFetch, signal, known }: ExtractOptions) {
  const { url, reader, etag, lastModified } = known?.validators ?? {};
  if (!known || url !== source.url || reader !== readerVersion) return loadContent(source, guardedFetch, { signal });
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

function validatorsOf({ url }: SourceContent, { etag, lastModified }: Loaded): Validators | undefined {
  if (!url || !(etag || lastModified)) return undefined;
  return { url, reader: readerVersion, ...(etag && { etag }), ...(lastModified && { lastModified }) };
}

/** A hash of a source's input, and of the version of the reader. */
export function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256').update(String(readerVersion));
  for (const part of parts) hash.update('\0').update(part);
  return hash.digest('base64url');
}
