import { setTimeout as wait } from 'node:timers/promises';
import { summarizeConversation } from '../domain/conversation-summary.ts';
import { ingestSource, resumeIngestion } from '../domain/ingestion.ts';
import { clearTurns } from '../domain/turn-sweep.ts';
import type { Services } from '../services.ts';
import type { Handlers } from './kinds.ts';
import { startWebhooks } from './webhooks.ts';

export type Jobs = {
  /** Resolves when workers are looking for jobs. */
  started: Promise<void>;
  /** Lets running jobs end for a moment, at most `graceMs`; the rest are left to the next worker, and lose nothing. */
  close(graceMs?: number): Promise<void>;
};

const graceLimitMs = 3_000;
const againMs = 5_000;

/** Starts to work on background jobs, those that an earlier process left behind included. Throws nothing. */
export function startJobs(services: Services): Jobs {
  const { queue, log } = services;
  const handlers: Handlers = {
    ingest: (data, signal) => ingestSource(services, data, signal),
    crawl: (data, signal) => ingestSource(services, data, signal),
    summarize: (data, signal) => summarizeConversation(services, data, signal),
  };
  const webhooks = startWebhooks(services);
  let closed = false;
  const start = async (): Promise<void> => {
    try {
      await queue.start(handlers, async () => {
        await resumeIngestion(services);
        await clearTurns(services);
      });
    } catch (error) {
      if (closed) return;
      log.error({ err: error }, 'The background jobs could not be started; trying again in 5 seconds');
      await wait(againMs, undefined, { ref: false });
      if (!closed) await start();
    }
  };
  return {
    started: start(),
    async close(graceMs = graceLimitMs) {
      closed = true;
      await Promise.all([webhooks.close(), queue.close(Math.min(graceMs, graceLimitMs))]);
    },
  };
}
