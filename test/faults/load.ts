import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../support/rest/operations.ts';
import { ask } from './client.ts';
import type { Ledger } from './ledger.ts';
import { Pace } from './pace.ts';
import type { Score } from './score.ts';
import type { House } from './types.ts';
import { codeOf, faultOf, isAcknowledged, isOpen } from './verdict.ts';
import type { Kind } from './writes.ts';

export type LoadOptions = {
  /** The address of the current gateway. */
  url(): string;
  isKilled(url: string): boolean;
  house: House;
  ledger: Ledger;
  score: Score;
  kinds: Kind[];
  writers?: number;
  pauseMs?: number;
  /** Whether to resend unanswered writes without their key, which a client must not do. */
  forgetsKeys?: boolean;
  /** Whether even a correctly reported failure counts as wrong, because there is no fault. */
  mustSucceed?: boolean;
};

export type Load = {
  pace: Pace;
  /** Resolves after `ms`, and not before `writes` more writes were acknowledged. */
  last(ms: number, writes?: number): Promise<void>;
  /** Stops; resolves when every writer has its answer. */
  stop(): Promise<void>;
};

/** How long to repeat an unanswered write. */
const stubbornMs = 90_000;

const describesKey = operations
  .find(({ operationId }) => operationId === 'createLead')
  ?.parameters?.some(({ name }) => name === 'Idempotency-Key');
/** Whether a write is safe to repeat with its key. */
const isKeyed = ({ name }: Kind): boolean => name === 'turn' || describesKey === true;

/** Starts writers, each of which writes one row after another and repeats unanswered writes. */
export function startLoad({ writers = 4, pauseMs = 5, ...options }: LoadOptions): Load {
  const pace = new Pace();
  let stopped = false;
  const write = async (index: number): Promise<void> => {
    for (let turn = index; !stopped; turn += 1) {
      await writeOne(options, options.kinds[turn % options.kinds.length] as Kind, pace);
      await sleep(pauseMs);
    }
  };
  const working = Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  return {
    pace,
    async last(ms, writes = 20) {
      const enough = options.ledger.acknowledged + writes;
      const latest = Date.now() + 60_000;
      await sleep(ms);
      while (options.ledger.acknowledged < enough && Date.now() < latest) await sleep(50);
    },
    async stop() {
      stopped = true;
      await working;
    },
  };
}

async function writeOne(options: Omit<LoadOptions, 'writers' | 'pauseMs'>, kind: Kind, pace: Pace): Promise<void> {
  const { ledger, score, house, url, isKilled, forgetsKeys, mustSucceed } = options;
  const mark = ledger.enter(kind);
  const deadline = Date.now() + stubbornMs;
  const key = randomUUID();
  score.tried += 1;
  for (;;) {
    const to = url();
    const outcome = await ask(to, { ...kind.send(house, mark), key: forgetsKeys ? randomUUID() : key });
    const isDone = isAcknowledged(outcome);
    const refusal = mustSucceed && !isDone ? `${kind.name}: ${codeOf(outcome) ?? outcome.error}` : null;
    const fault = faultOf(outcome, isKilled(to)) ?? refusal;
    if (fault) score.count('wrong', fault);
    // A killed process's turn is taken over only after its lease has expired.
    if (kind.name !== 'turn') pace.add(outcome.ms, isDone);
    if (isDone) return ledger.acknowledge(mark);
    // An interrupted attempt may still be in progress.
    const isOver = !isOpen(outcome) && codeOf(outcome) !== 'request_in_progress';
    if (isOver || !(isKeyed(kind) || forgetsKeys)) return;
    if (Date.now() > deadline) return score.count('wrong', `${kind.name}: not done after ${stubbornMs / 1000} s`);
    await sleep(100);
  }
}
