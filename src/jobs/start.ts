import { setTimeout as wait } from 'node:timers/promises';
import type { Services } from '../context.ts';
import { indexWorkspace } from '../domain/conversations/indexing.ts';
import { summarizeConversation } from '../domain/conversations/summary.ts';
import { finishErasure } from '../domain/erasure/job.ts';
import { runEvaluation } from '../domain/evaluations/run.ts';
import { compactBase, compactLater } from '../domain/knowledge/compaction.ts';
import { embedLater, embedSource } from '../domain/knowledge/embedding.ts';
import { ingestSource } from '../domain/knowledge/ingestion.ts';
import type { Handlers, JobData } from '../queue/kinds.ts';
import { schedules, startSchedule } from './schedule.ts';
import { startWebhooks } from './webhook-deliveries.ts';

export type Jobs = {
  /** Resolves once the workers are polling. */
  started: Promise<void>;
  /** Gives running jobs at most `graceMs` to finish; the rest are left to the next worker, and lose nothing. */
  close(graceMs?: number): Promise<void>;
};

const graceLimitMs = 3_000;
const retryMs = 5_000;

/** Starts the background jobs, including those that an earlier process left behind. Does not throw. */
export function startJobs(services: Services): Jobs {
  const { queue, log } = services;
  const read = async (data: JobData['ingest'], signal: AbortSignal): Promise<void> => {
    await ingestSource(services, data, signal);
    await embedLater(services, data);
    await compactLater(services, data);
  };
  const handlers: Handlers = {
    ingest: (data, signal) => read(data, signal),
    crawl: (data, signal) => read(data, signal),
    embed: (data, signal) => embedSource(services, data, signal),
    compact: (data, signal) => compactBase(services, data, signal),
    index: (data, signal) => indexWorkspace(services, data, signal),
    evaluate: (data, signal) => runEvaluation(services, data, signal),
    summarize: (data, signal) => summarizeConversation(services, data, signal),
    erase: (data, signal) => finishErasure(services, data, signal),
  };
  const webhooks = startWebhooks(services);
  let closed = false;
  let running: ReturnType<typeof startSchedule>[] = [];
  const start = async (): Promise<void> => {
    try {
      await queue.start(handlers);
      if (closed) return;
      const { jobs, messages, directory } = schedules;
      running = [jobs, messages, directory].map((schedule) => startSchedule(services, schedule));
      await Promise.all(running.map(({ first }) => first));
    } catch (error) {
      if (closed) return;
      log.error({ err: error }, 'The background jobs could not be started; trying again in 5 seconds');
      await wait(retryMs, undefined, { ref: false });
      if (!closed) await start();
    }
  };
  return {
    started: start(),
    async close(graceMs = graceLimitMs) {
      closed = true;
      const grace = Math.min(graceMs, graceLimitMs);
      const ended = Promise.race([
        Promise.all(running.map((schedule) => schedule.close())),
        wait(grace, undefined, { ref: false }),
      ]);
      await Promise.all([webhooks.close(), queue.close(grace), ended]);
    },
  };
}
