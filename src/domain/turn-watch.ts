import type { Context } from '../context.ts';
import { aliveMs, aliveUntil } from './turn-open.ts';
import type { Reason } from './turn-running.ts';

/** How soon a turn sees that it was stopped on another replica, in milliseconds. */
const lookMs = 250;
/** How many looks there are from one sign of life to the next: five signs within the time that it is believed. */
const looksPerSign = Math.floor(aliveMs / 5 / lookMs);

/**
 * Says again and again that the process of an open turn lives, and has the turn fall silent when it was stopped elsewhere
 * or taken for dead. Answers how to end the watch.
 */
export function watchTurn({ database, log }: Context, id: string, controller: AbortController): () => void {
  let looks = 0;
  let looking = false;
  const silence = (reason: Reason) => controller.abort(reason);
  const look = async () => {
    looks += 1;
    const data = { aliveUntil: aliveUntil() };
    if (looks % looksPerSign === 0) await database.turn.updateMany({ where: { id, state: 'open' }, data });
    const turn = await database.turn.findUnique({ where: { id }, select: { state: true, stopAsked: true } });
    if (turn?.state !== 'open') silence('lost');
    else if (turn.stopAsked) silence('stopped');
  };
  const interval = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'a turn could not say that it lives'))
      .finally(() => {
        looking = false;
      });
  }, lookMs).unref();
  return () => clearInterval(interval);
}
