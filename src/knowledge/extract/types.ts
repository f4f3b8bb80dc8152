import type { SourceType } from '../../database/generated/prisma/enums.ts';
import type { Section } from '../../search/types.ts';

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

/** What a page says about itself to those who crawl its site. Addresses are absolute. */
export type PageHints = {
  /** Its author asks not to index it. */
  noindex?: boolean;
  /** The address that it is known by, if that is another one. */
  canonical?: string;
  /** The pages that go on where it ends, such as the next ones of a list. */
  next?: string[];
  /** Its language, and its addresses in this and other ones. */
  language?: string;
  alternates?: Alternate[];
};

/** A page in the language `hreflang`, lower case; `x-default` is for those whose language is not there. */
export type Alternate = { url: string; hreflang: string };
