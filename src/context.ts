import type { Logger } from 'pino';
import type { DemoSessions } from './auth/demo-sessions.ts';
import type { Secrets } from './auth/secrets.ts';
import type { Tokens } from './auth/tokens.ts';
import type { Config } from './config/config.ts';
import type { Load } from './core/load.ts';
import type { Viewer } from './core/viewer.ts';
import type { Database } from './database/client.ts';
import type { databaseTime } from './database/clock.ts';
import type { Ending } from './database/ending.ts';
import type { Pool } from './database/pool.ts';
import type { MessageWatch } from './domain/conversations/types.ts';
import type { SourceWatch } from './domain/knowledge/types.ts';
import type { KeyedStatements } from './domain/shared/types.ts';
import type { Turns } from './domain/turns/types.ts';
import type { ModelService } from './model/service.ts';
import type { Transcribe } from './model/transcribe.ts';
import type { GuardedFetch } from './net/guarded-fetch.ts';
import type { Queue } from './queue/queue.ts';
import type { Embeddings } from './search/types.ts';
import type { Storage } from './storage/types.ts';

/** What every resolver and domain operation is given. `keyed`: the Idempotency-Key of the whole request. */
export type Context = Services & { viewer: Viewer; keyed?: { key: string; ending?: Ending } };

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
  /** Requests with an Idempotency-Key, for statements that are written as SQL. */
  keys: KeyedStatements;
  /** How much this process has to do. */
  load: Load;
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
