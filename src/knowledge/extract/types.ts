import type { SourceType } from '../../database/generated/prisma/enums.ts';
import type { Section } from '../../search/types.ts';

/**
 * What a source says of itself, where it does, and what is in it: at least one section. `links`: where they are asked for;
 * `warnings`: what was left out, each a sentence for people.
 */
export type Extracted = {
  title?: string;
  description?: string;
  img?: string;
  sections: Section[];
  links?: string[];
  warnings?: string[];
};

export type SourceContent = { type: SourceType; url?: string | null; data?: unknown; ext?: string | null };

/** A source that is at hand and not read yet. The same `hash` would be read into the same sections. */
export type Opened = { hash: string; validators?: Validators | undefined; read(): Promise<Extracted> };

/** By what the server at `url` knows the content that this reader read. */
export type Validators = { url: string; reader: number; etag?: string; lastModified?: string };

/** Content that was read before. */
export type Known = { hash: string; validators: Validators };

/**
 * The bytes of a source as they came. `kind` is null until somebody looks, unless it was given as text or HTML. With
 * `links`, a page's links are wanted too.
 */
export type Content = {
  bytes: Uint8Array;
  contentType: string;
  url: string | null;
  kind: 'text' | 'html' | null;
  /** The extension of its name, where it has one: it decides only what the content leaves open. */
  ext?: string | null;
  links?: boolean;
};
