import type { Services } from '../context.ts';
import { moveAttachments, sweepFiles } from '../domain/attachments/file-sweep.ts';
import { fillInNumbers } from '../domain/conversations/backfill.ts';
import { cleanIndexLater, indexLater } from '../domain/conversations/indexing.ts';
import { resumeCompaction } from '../domain/knowledge/compaction.ts';
import { resumeEmbedding } from '../domain/knowledge/embedding.ts';
import { resumeIngestion } from '../domain/knowledge/ingestion.ts';
import { startRefreshes } from '../domain/knowledge/source-refresh.ts';
import { clearTurns, endOrphanedTurns, expireLeases } from '../domain/turns/sweep.ts';
import { clearEvents } from '../domain/webhooks/retention.ts';
import { clearWidgetLimits } from '../domain/widget/limits.ts';
import { lookAfterDatabase } from './embedded-upkeep.ts';
import { every } from './every.ts';

type Task = (services: Services) => Promise<unknown>;
/** What is done by itself in each process, one task after the other: at first when it starts, then every so often. */
type Round = { everyMs: number; tasks: Record<string, Task> };

/** Everything that the gateway does by itself, and when; docs/operations.md has the same table. */
export const rounds = {
  turns: {
    everyMs: 5_000,
    tasks: { 'end the turns of processes that have died': endOrphanedTurns },
  },
  /** Of the embedded database alone: a server of PostgreSQL does this by itself. */
  database: {
    everyMs: 30_000,
    tasks: { 'analyze, vacuum and checkpoint the embedded database': lookAfterDatabase },
  },
  /** Messages wait for it in rows of their own table; a search reads those that wait too. */
  messages: {
    everyMs: 5_000,
    tasks: { 'index messages for search': indexLater },
  },
  /** What any process may have left behind, and what is kept for a time only. */
  jobs: {
    everyMs: 300_000,
    tasks: {
      'read sources again that are due': startRefreshes,
      'resume the reading of sources': resumeIngestion,
      'resume the embedding of passages': resumeEmbedding,
      'remove ended turns, streams and idempotency keys': clearTurns,
      'remove events and their deliveries after 30 days': clearEvents,
      'move attachments into the storage': moveAttachments,
      'delete files that nothing refers to': sweepFiles,
      'remove ended windows of limits and budgets': clearWidgetLimits,
      'index passages anew, and join postings': resumeCompaction,
      'remove words of messages that are gone': cleanIndexLater,
      'fill in numbers of older messages and conversations': fillInNumbers,
    },
  },
} as const satisfies Record<string, Round>;

/** What the process before has left open is over, where a database is one process's alone: to be said before any other turn. */
export const expireOrphanedTurns = (services: Services): Promise<void> => expireLeases(services);

/** Does the tasks of a round, from now on and until `close`. One that fails is logged, and keeps no other from being done. */
export function startRound(services: Services, { everyMs, tasks }: Round): ReturnType<typeof every> {
  const work = async (): Promise<void> => {
    for (const [task, run] of Object.entries(tasks)) {
      await run(services).catch((error: unknown) => services.log.error({ err: error, task }, 'A task has failed'));
    }
  };
  return every(everyMs, work);
}
