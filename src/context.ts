import type { Logger } from 'pino';
import type { DemoSessions } from './auth/demo-sessions.ts';
import type { Secrets } from './auth/encryption/secrets.ts';
import type { Tokens } from './auth/tokens.ts';
import type { Config } from './config/config.ts';
import type { Load } from './core/load.ts';
import type { Peers } from './core/peers.ts';
import type { Viewer } from './core/viewer.ts';
import type { Database } from './database/client.ts';
import type { databaseTime } from './database/clock.ts';
import type { FinalTransaction } from './database/final-transaction.ts';
import type { Pool } from './database/pool.ts';
import type { RowEstimates } from './database/query/estimates.ts';
import type { LargeWorkspaces } from './database/query/large-workspaces.ts';
import type { ClusterNodes } from './database/serving/nodes.ts';
import type { Presence } from './database/serving/presence.ts';
import type { MessageWatch } from './domain/conversations/types.ts';
import type { SourceWatch } from './domain/knowledge/types.ts';
import type { Turns } from './domain/turns/types.ts';
import type { ReadPage } from './model/read-page.ts';
import type { ModelService } from './model/service.ts';
import type { Transcribe } from './model/transcribe.ts';
import type { GuardedFetch } from './net/guarded-fetch.ts';
import type { Queue } from './queue/queue.ts';
import type { Embeddings, Reranker } from './search/types.ts';
import type { Storage } from './storage/types.ts';

/**
 * What every resolver and domain operation receives. `idempotencyKey`: that of the whole request; `finalTransaction`:
 * the one that will store its response, if it awaits something outside the database.
 */
export type Context = Services & { viewer: Viewer; idempotencyKey?: string; finalTransaction?: FinalTransaction };

/** Everything a request needs that lives as long as the process. */
export type Services = {
  config: Config;
  database: Database;
  /** The connection pool of `database`, for hand-written SQL. */
  pool: Pool;
  /** About how many rows workspaces have. */
  estimates: RowEstimates;
  largeWorkspaces: LargeWorkspaces;
  nodes: ClusterNodes;
  secrets: Secrets;
  tokens: Tokens;
  model: ModelService;
  /** Transcribes recordings; null when no transcription model is configured. */
  transcribe: Transcribe | null;
  /** Reads scanned pages; null when no model for them is configured. */
  readPage: ReadPage | null;
  /** Stores attachments. */
  storage: Storage;
  /** Embeds text for semantic search; null when no embedding model is configured. */
  embeddings: Embeddings | null;
  /** Orders found passages; null when no reranking model is configured. */
  reranker: Reranker | null;
  queue: Queue;
  /** The current load of this process. */
  load: Load;
  turns: Turns;
  /** Null when no page may get a token. */
  demoSessions: DemoSessions | null;
  /** This process, as others know it in the database. */
  presence: Presence;
  /** The other worker processes of this gateway. */
  peers: Peers;
  messageWatch: MessageWatch;
  sourceWatch: SourceWatch;
  guardedFetch: GuardedFetch;
  log: Logger;
  /** This machine's clock. It may differ from those of other replicas: leases go by `leaseTime`. */
  now: () => Date;
  /** The database's clock, read within the transaction if `store` is one. */
  leaseTime(store?: Parameters<typeof databaseTime>[0]): Promise<Date>;
};
