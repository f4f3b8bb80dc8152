import type { Logger } from 'pino';
import { hasDemoPages } from './auth/demo.ts';
import { createDemoSessions, type DemoSessions } from './auth/demo-sessions.ts';
import type { Secrets } from './auth/encryption/secrets.ts';
import { createTokens } from './auth/tokens.ts';
import type { Config } from './config/config.ts';
import type { Services } from './context.ts';
import { Load } from './core/load.ts';
import { noPeers, type Peers } from './core/peers.ts';
import { version } from './core/version.ts';
import type { DatabaseHandle } from './database/client.ts';
import { databaseTime } from './database/clock.ts';
import { createRowEstimates } from './database/query/estimates.ts';
import { createLargeWorkspaces } from './database/query/large-workspaces.ts';
import { createClusterNodes } from './database/serving/nodes.ts';
import { createPresence } from './database/serving/presence.ts';
import { createMessageWatch } from './domain/conversations/message-watch.ts';
import { createSourceWatch } from './domain/knowledge/source-watch.ts';
import { createTurns } from './domain/turns/running.ts';
import { createEmbeddings } from './knowledge/embedder.ts';
import { createReranker } from './knowledge/reranker.ts';
import { createReadPage } from './model/read-page.ts';
import { createModelService } from './model/service.ts';
import { createTranscribe } from './model/transcribe.ts';
import { createGuardedFetch } from './net/guarded-fetch.ts';
import { createQueue } from './queue/queue.ts';
import { createStorage, withLog } from './storage/storage.ts';

type Options = {
  config: Config;
  handle: DatabaseHandle;
  secrets: Secrets;
  log: Logger;
  now?: () => Date;
  /** What this process shares with the other workers. */
  peers?: Peers;
  demoSessions?: DemoSessions;
};

/** Creates the services. Touches neither the database nor the network. */
export function createServices({
  config,
  handle,
  secrets,
  log,
  now = () => new Date(),
  peers = noPeers,
  demoSessions,
}: Options): Services {
  const database = handle.client;
  return {
    config,
    database,
    pool: handle.pool,
    estimates: createRowEstimates({ pool: handle.pool, now }),
    largeWorkspaces: createLargeWorkspaces(handle.pool),
    presence: createPresence(handle, version),
    nodes: createClusterNodes(handle),
    secrets,
    tokens: createTokens({ config, database, secrets, now, peers }),
    peers,
    model: createModelService({
      models: config.models,
      verifier: config.verifier,
      timeoutMs: config.modelTimeoutMs,
      historyTokens: config.modelHistoryTokens,
      log,
    }),
    transcribe: config.transcription && createTranscribe(config.transcription),
    readPage: config.vision && createReadPage({ ...config.vision, timeoutMs: config.modelTimeoutMs, log }),
    storage: withLog(createStorage(config.storage), log),
    embeddings: config.embedding && createEmbeddings({ settings: config.embedding, handle, log }),
    reranker: config.rerank && createReranker({ settings: config.rerank, log }),
    queue: createQueue({ handle, schema: config.queueSchema, log }),
    load: new Load(config.load),
    demoSessions: hasDemoPages(config) ? (demoSessions ?? createDemoSessions()) : null,
    turns: createTurns({ database, pool: handle.pool, log }),
    messageWatch: createMessageWatch({ database, log }),
    sourceWatch: createSourceWatch(database),
    guardedFetch: createGuardedFetch({ allowHosts: config.fetchAllowHosts, proxy: config.proxy }),
    log,
    now,
    leaseTime: (store = database) => databaseTime(store),
  };
}
