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

/** Finds passages by what they mean, with a model of vectors and pgvector. */
export type Embeddings = {
  /** By which vectors of this model are known: `openai:model`. */
  model: string;
  /** Whether the database can compare vectors. Says why not in the log, once. Throws when it cannot be reached. */
  ready(): Promise<boolean>;
  /** The vectors of texts, for keeping; slow tries are waited for. Throws 502 `model_error`, 503 and 504. */
  embed(texts: string[], signal: AbortSignal): Promise<number[][]>;
  /** Makes ready to search vectors of this length. */
  index(dimensions: number): Promise<void>;
  /** All passages have vectors of the model: what the models before it needed is given up. */
  settle(): Promise<void>;
  /** The passages nearest to a question, at most `limit`; null when that cannot be told in a short time. Never throws. */
  near(search: {
    workspaceId: string;
    baseIds: string[];
    sourceIds?: string[] | null;
    query: string;
    limit: number;
  }): Promise<NearPassage[] | null>;
};

/**
 * A stretch of a source under one heading, on one page or answering one question. `text` is clean and never empty; all
 * else is where it stands, and becomes the place of its passages.
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
  /** The page of a site: its address and title. */
  url?: string;
  title?: string;
  text: string;
};

export type NearPassage = {
  id: string;
  baseId: string;
  sourceId: string;
  text: string;
  place: PassageLocation;
  similarity: number;
};
