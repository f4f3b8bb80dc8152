import type { Logger } from 'pino';
import type { Secrets } from './auth/secrets.ts';
import type { Tokens } from './auth/tokens.ts';
import type { Config } from './config.ts';
import type { Database } from './database/client.ts';
import type { Queue } from './jobs/queue.ts';
import type { GuardedFetch } from './knowledge/guarded-fetch.ts';
import type { ModelService } from './model/service.ts';

/** Everything that a request needs and that lives as long as the process. */
export type Services = {
  config: Config;
  database: Database;
  secrets: Secrets;
  tokens: Tokens;
  model: ModelService;
  queue: Queue;
  guardedFetch: GuardedFetch;
  log: Logger;
  now: () => Date;
};
