export type PassageRow = {
  workspaceId: string;
  baseId: string;
  sourceId: string;
  /** Unique in its source, from 0. */
  position: number;
  text: string;
  place: PassageLocation;
};

/** Where a passage stands in its source; the shape of the column `place`. */
export type PassageLocation = Omit<Section, 'text'>;

/** `position` counts from 0 through the whole source, without gaps. */
export type NewPassage = { position: number; text: string; place: PassageLocation };

/** Finds passages by meaning, with an embedding model and pgvector. */
export type Embeddings = {
  /** Identifies the model's vectors: `openai:model`. */
  model: string;
  /** Whether the database can compare vectors. If not, logs why, once. Throws if the database cannot be reached. */
  ready(): Promise<boolean>;
  /** Embeds texts for storage, waiting for slow attempts. Throws 502 `model_error`, 503 and 504. */
  embed(texts: string[], signal: AbortSignal): Promise<number[][]>;
  /** Creates the index for vectors of this length. */
  index(dimensions: number): Promise<void>;
  /** Called once all passages are embedded with this model: drops what earlier models needed. */
  settle(): Promise<void>;
  /**
   * Returns the passages nearest to a question, at most `limit`; null if that fails or takes too long. Never throws.
   */
  near(search: {
    workspaceId: string;
    baseIds: string[];
    sourceIds?: string[] | null;
    exceptSourceId?: string | null;
    query: string;
    limit: number;
  }): Promise<NearPassage[] | null>;
};

/**
 * A part of a source under one heading, on one page or answering one question. `text` is clean and never empty; the
 * other keys locate it, and become the location of its passages.
 */
export type Section = {
  /** The headings above it, outermost first: `Handbook › Refunds`. */
  heading?: string;
  /** Of a PDF, and a slide of a presentation; counted from 1. */
  page?: number;
  slide?: number;
  /** The sheet of a workbook, and the rows of it or of a table, counted from 1: `2–17`. */
  sheet?: string;
  rows?: string;
  /** The chapter of a book. */
  chapter?: string;
  /** Seconds from the start of a recording. */
  time?: number;
  question?: string;
  /** The page of a site: its URL and title. */
  url?: string;
  title?: string;
  text: string;
};

/** Orders passages by how well they answer a question, with a reranking model. */
export type Reranker = {
  /**
   * Returns how well each text answers, in the order of the texts; null if that fails or takes too long. Never throws.
   */
  rerank(query: string, texts: string[]): Promise<number[] | null>;
};

export type FoundPassage = {
  id: string;
  baseId: string;
  sourceId: string;
  text: string;
  place: PassageLocation;
  score: number;
};
export type NearPassage = Omit<FoundPassage, 'score'> & { similarity: number };

/** A message: by its number in the search index, or by its id if it is not indexed yet. */
export type Hit = { id: string | null; number: number | null };
/** Messages in the form that statements select by. */
export type Candidates = { ids: string[]; numbers: Int32Array };
/** The messages that match a search. */
export type RankedMatches = {
  total: number;
  /** The best matches, best first. */
  best(limit: number): Hit[];
  all(): Candidates;
  /** The score of a message; null if it does not match. Comparable within one search. */
  scoreOf(message: Hit): number | null;
};
