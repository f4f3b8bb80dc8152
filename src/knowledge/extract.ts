import type { SourceType } from '../database/generated/prisma/enums.ts';
import { ExtractFailure } from './extract/failure.ts';
import { readFaq } from './extract/faq.ts';
import { loadContent } from './extract/load.ts';
import { readContent } from './extract/read.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** A stretch of a source under one heading, on one page or answering one question. `text` is clean and never empty. */
export type Section = {
  /** The headings above it, outermost first: `Handbook › Refunds`. */
  heading?: string;
  /** Counted from 1. */
  page?: number;
  question?: string;
  text: string;
};
/** What a source says of itself, where it does, and what is in it: at least one section. */
export type Extracted = { title?: string; description?: string; img?: string; sections: Section[] };
export type SourceContent = { type: SourceType; url?: string | null; data?: unknown };
export type ExtractOptions = { guardedFetch: GuardedFetch; signal?: AbortSignal };

const notIngested: Partial<Record<SourceType, string>> = {
  site: 'A whole site is not crawled yet: add its pages as sources of type page',
  youtube: 'YouTube videos are not ingested yet: add the transcript as a source of type file, in data.text',
  audio: 'Audio is not ingested yet: add the transcript as a source of type file, in data.text',
};

/**
 * Reads a source, fetched from its `url` or given in `data`, into titled sections of text. Rejects with `FetchFailure`
 * or `ExtractFailure`, whose messages are reasons for people; anything else is a fault of the service.
 */
export async function extractSource(
  source: SourceContent,
  { guardedFetch, signal }: ExtractOptions,
): Promise<Extracted> {
  const refusal = notIngested[source.type];
  if (refusal) throw new ExtractFailure(refusal);
  if (source.type === 'faq') return readFaq(source.data);
  return readContent(await loadContent(source, guardedFetch, signal), signal);
}
