import type { SourceType } from '../../database/generated/prisma/enums.ts';
import type { Section } from '../../search/types.ts';
import type { PageHints } from './html/page-hints.ts';

/**
 * The content of a source, in at least one section, and its own title, description and image, if any. `links` is set on
 * request; `warnings` are sentences for users about what was left out.
 */
export type Extracted = {
  title?: string;
  description?: string;
  img?: string;
  sections: Section[];
  links?: string[];
  /** What a page says to those who crawl its site, on request with `links`. */
  hints?: PageHints;
  warnings?: string[];
  /** The pages of a PDF without text, if their pictures are to be read: then no warning names them. */
  withoutText?: number[];
  /** Some of it could not be read for a passing reason: equal content is worth reading again. */
  isPartial?: boolean;
};

export type SourceContent = { type: SourceType; url?: string | null; data?: unknown; ext?: string | null };

/** A source that was loaded but not parsed yet. An equal `hash` means that parsing would give the same sections. */
export type Opened = { hash: string; validators?: Validators | undefined; read(): Promise<Extracted> };

/**
 * HTTP validators of the content at `url`, as this version of the reader read it; `pictures`: including pictures of
 * pages.
 */
export type Validators = { url: string; reader: number; etag?: string; lastModified?: string; pictures?: boolean };

/** Content that was read before. */
export type Known = { hash: string; validators: Validators };

/**
 * The raw bytes of a source. `kind` is null unless the content was given as text or HTML. `links` requests the links of
 * a page.
 */
export type Content = {
  bytes: Uint8Array;
  contentType: string;
  url: string | null;
  kind: 'text' | 'html' | null;
  /** The extension of its file name, if any: only consulted if the content is ambiguous. */
  ext?: string | null;
  links?: boolean;
  /** Pages of a PDF without text are returned as `withoutText`, since their pictures are read next. */
  pictures?: boolean;
};
