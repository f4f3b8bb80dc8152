/** The data of each kind of job. */
export type JobData = {
  /** Reads a source into passages. `revision` identifies the write that enqueued the job. */
  ingest: { workspaceId: string; sourceId: string; revision: number };
  /** Like `ingest`, for a website; a large one may take hours. */
  crawl: { workspaceId: string; sourceId: string; revision: number };
  /** Embeds the passages of a source. */
  embed: { workspaceId: string; sourceId: string; revision: number };
  /** Compacts the postings of a base, so that a search reads fewer rows. */
  compact: { workspaceId: string; baseId: string };
  /** Indexes the pending messages of a workspace, and merges the segments of their index. */
  index: { workspaceId: string };
  /** Evaluates an agent by its cases. */
  evaluate: { workspaceId: string; runId: string };
  /** Summarizes the older messages of a conversation. */
  summarize: { workspaceId: string; conversationId: string };
  /** Removes what the erasure of a person leaves behind: objects, postings, dead rows. */
  erase: { workspaceId: string; receiptId: string };
};

export type JobName = keyof JobData;

export type Job<Name extends JobName = JobName> = {
  name: Name;
  /** Only one job of this name and key may be queued or running; further ones are dropped. */
  key: string;
  data: JobData[Name];
};

/** A job that reads a source. */
export type ReadingJob = Job<'ingest' | 'crawl'>;

/**
 * Handles one job. If it rejects, the job is retried later. `signal` aborts when the job times out or the process shuts
 * down.
 */
type Handler<Name extends JobName> = (data: JobData[Name], signal: AbortSignal) => Promise<void>;
export type Handlers = { [Name in JobName]: Handler<Name> };

type JobKind = {
  /** The number of workers per process. */
  concurrency: number;
  /**
   * The maximum number of running jobs per workspace across all processes, so that the other workers serve other
   * workspaces.
   */
  perWorkspace?: number;
  /** A job that takes longer is handed to another worker. */
  timeoutSeconds: number;
  /** The number of retries, after 1, 2, 4, … at most 60 seconds. */
  retries: number;
};

export const jobKinds: { [Name in JobName]: JobKind } = {
  // Ingestion mostly waits for other servers, hence several at once.
  ingest: { concurrency: 6, perWorkspace: 3, timeoutSeconds: 900, retries: 20 },
  crawl: { concurrency: 4, perWorkspace: 2, timeoutSeconds: 6 * 3_600, retries: 20 },
  // One at a time, since models have rate limits; the periodic sweep picks up what is left.
  embed: { concurrency: 1, timeoutSeconds: 3_600, retries: 20 },
  // The next source of the base, or the periodic sweep, enqueues it again; finished work is kept.
  compact: { concurrency: 1, timeoutSeconds: 900, retries: 3 },
  // The next round enqueues it again. One at a time: with a backlog, indexing uses a whole core.
  index: { concurrency: 1, timeoutSeconds: 3_600, retries: 3 },
  // Waits for a model, case by case; what is done stays, and the periodic sweep resumes it.
  evaluate: { concurrency: 1, timeoutSeconds: 6 * 3_600, retries: 20 },
  // The next turn of the conversation enqueues it again.
  summarize: { concurrency: 2, timeoutSeconds: 900, retries: 3 },
  // One at a time, since it vacuums; finished steps are kept, and the periodic sweep resumes it.
  erase: { concurrency: 1, timeoutSeconds: 3_600, retries: 20 },
};

export const jobNames = Object.keys(jobKinds) as JobName[];
