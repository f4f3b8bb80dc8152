/** What each kind of job is told. */
export type JobData = {
  /** Reads a source into passages. `revision` is the write that the job was enqueued with. */
  ingest: { workspaceId: string; sourceId: string; revision: number };
  /** The same for a site, which takes long: hours, when it is a large one. */
  crawl: { workspaceId: string; sourceId: string; revision: number };
  /** Embeds the passages of a source. */
  embed: { workspaceId: string; sourceId: string; revision: number };
  /** Joins the postings of a base, so that a search reads fewer rows. */
  compact: { workspaceId: string; baseId: string };
  /** Indexes the messages of a workspace that wait for it, and joins the segments of their index. */
  index: { workspaceId: string };
  /** Puts the older messages of a conversation into its summary. */
  summarize: { workspaceId: string; conversationId: string };
};

export type JobName = keyof JobData;

export type Job<Name extends JobName = JobName> = {
  name: Name;
  /** While a job of this name and key waits or runs, another one is not added. */
  key: string;
  data: JobData[Name];
};

/** A job that reads a source. */
export type ReadingJob = Job<'ingest' | 'crawl'>;

/** Works on one job. A rejection has it tried again later. `signal`: the job was taken away or the process is leaving. */
type Handler<Name extends JobName> = (data: JobData[Name], signal: AbortSignal) => Promise<void>;
export type Handlers = { [Name in JobName]: Handler<Name> };

type JobKind = {
  /** How many of them this process works on at once. */
  concurrency: number;
  /** How many of one workspace are worked on at once, by all processes: the rest of the workers are for others. */
  perWorkspace?: number;
  /** A job that takes longer is given to another worker. */
  timeoutSeconds: number;
  /** How often a job is tried again, after 1, 2, 4, … at most 60 seconds. */
  retries: number;
};

export const jobKinds: { [Name in JobName]: JobKind } = {
  // Most of an ingestion is waiting for somebody's server, hence several at once.
  ingest: { concurrency: 6, perWorkspace: 3, timeoutSeconds: 900, retries: 20 },
  crawl: { concurrency: 4, perWorkspace: 2, timeoutSeconds: 6 * 3_600, retries: 20 },
  // One after the other, since models have limits; what is not done then is found by the sweep.
  embed: { concurrency: 1, timeoutSeconds: 3_600, retries: 20 },
  // The next source of the base, or the sweep, asks for it again: what is done by then stays.
  compact: { concurrency: 1, timeoutSeconds: 900, retries: 3 },
  // The next round asks for it again. One after the other: while many wait, they take all of a processor.
  index: { concurrency: 1, timeoutSeconds: 3_600, retries: 3 },
  // The next turn of the conversation asks for it again.
  summarize: { concurrency: 2, timeoutSeconds: 900, retries: 3 },
};

export const jobNames = Object.keys(jobKinds) as JobName[];
