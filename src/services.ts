import type { Logger } from 'pino';
import { hasDemoPages } from './auth/demo.ts';
import { createDemoSessions, type DemoSessions } from './auth/demo-sessions.ts';
import type { Secrets } from './auth/secrets.ts';
import { createTokens, type Tokens } from './auth/tokens.ts';
import type { Config } from './config.ts';
import type { Database, DatabaseHandle } from './database/client.ts';
import { databaseTime } from './database/clock.ts';
import type { Pool } from './database/pool.ts';
import { createMessageWatch, type MessageWatch } from './domain/message-watch.ts';
import { createSourceWatch, type SourceWatch } from './domain/source-watch.ts';
import { createTurns, type Turns } from './domain/turn-running.ts';
import { createQueue, type Queue } from './jobs/queue.ts';
import { createEmbeddings, type Embeddings } from './knowledge/embeddings.ts';
import { createGuardedFetch, type GuardedFetch } from './knowledge/guarded-fetch.ts';
import { createModelService, type ModelService } from './model/service.ts';
import { createTranscribe, type Transcribe } from './model/transcribe.ts';
import { createStorage, type Storage } from './storage/storage.ts';

/** Everything that a request needs and that lives as long as the process. */
export type Services = {
  config: Config;
  database: Database;
  /** The connections of `database`, for statements that are written as SQL. */
  pool: Pool;
  secrets: Secrets;
  tokens: Tokens;
  model: ModelService;
  /** Hears recordings; null when no model for it is configured. */
  transcribe: Transcribe | null;
  /** Where attachments are. */
  storage: Storage;
  /** Finds passages by what they mean; null when no model for it is configured. */
  embeddings: Embeddings | null;
  queue: Queue;
  turns: Turns;
  /** Null: no page gets a token. */
  demoSessions: DemoSessions | null;
  messageWatch: MessageWatch;
  sourceWatch: SourceWatch;
  guardedFetch: GuardedFetch;
  log: Logger;
  /** This machine's clock. It may differ from those of other replicas: leases go by `leaseTime`. */
  now: () => Date;
  /** The database's clock; inside a transaction, asked through it. */
  leaseTime(store?: Parameters<typeof databaseTime>[0]): Promise<Date>;
};

type Options = { config: Config; handle: DatabaseHandle; secrets: Secrets; log: Logger; now?: () => Date };

/** Puts the services together. Nothing is asked of the database or the network yet. */
export function createServices({ config, handle, secrets, log, now = () => new Date() }: Options): Services {
  const database = handle.client;
  return {
    config,
    database,
    pool: handle.pool,
    secrets,
    tokens: createTokens({ config, database, secrets, now }),
    model: createModelService({
      models: config.models,
      timeoutMs: config.modelTimeoutMs,
      historyTokens: config.modelHistoryTokens,
      log,
    }),
    transcribe: config.transcription && createTranscribe(config.transcription),
    storage: createStorage(config.storage),
    embeddings: config.embedding && createEmbeddings({ settings: config.embedding, handle, log }),
    queue: createQueue({ handle, log }),
    demoSessions: hasDemoPages(config) ? createDemoSessions() : null,
    turns: createTurns({ database, log }),
    messageWatch: createMessageWatch({ database, log }),
    sourceWatch: createSourceWatch(database),
    guardedFetch: createGuardedFetch({ allowHosts: config.fetchAllowHosts }),
    log,
    now,
    leaseTime: (store = database) => databaseTime(store),
  };
}
