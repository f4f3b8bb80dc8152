import type { Logger } from 'pino';
import type { Secrets } from './auth/secrets.ts';
import { createTokens, type Tokens } from './auth/tokens.ts';
import type { Config } from './config.ts';
import type { Database, DatabaseHandle } from './database/client.ts';
import type { Pool } from './database/pool.ts';
import { createTurns, type Turns } from './domain/turn-running.ts';
import { createQueue, type Queue } from './jobs/queue.ts';
import { createGuardedFetch, type GuardedFetch } from './knowledge/guarded-fetch.ts';
import { createModelService, type ModelService } from './model/service.ts';
import { createTranscribe, type Transcribe } from './model/transcribe.ts';

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
  queue: Queue;
  turns: Turns;
  guardedFetch: GuardedFetch;
  log: Logger;
  now: () => Date;
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
    }),
    transcribe: config.transcription && createTranscribe(config.transcription),
    queue: createQueue({ handle, log }),
    turns: createTurns(),
    guardedFetch: createGuardedFetch({ allowHosts: config.fetchAllowHosts }),
    log,
    now,
  };
}
