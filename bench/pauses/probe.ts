import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from './gateway.ts';

/** What a client noticed: how many requests it made, and how long the longest and the median one took. */
export type Probed = { requests: number; longestMs: number; medianMs: number; seconds: number };

const restMs = 5;
const read = 'query { leads(first: 20) { edges { node { id name updatedAt } } } }';
const write = 'mutation ($input: UpdateLeadInput!) { updateLead(input: $input) { lead { id } } }';

/** Sends a read and a write in turns, one after the other, until `work` is done. */
export async function probe(gateway: Gateway, leadId: string, work: () => Promise<unknown>): Promise<Probed> {
  let isDone = false;
  const times: number[] = [];
  const started = performance.now();
  const send = async () => {
    for (let count = 0; !isDone; count++) {
      const since = performance.now();
      await (count % 2 === 0
        ? gateway.ask(read)
        : gateway.ask(write, { input: { id: leadId, name: `Probe ${count}` } }));
      times.push(performance.now() - since);
      await sleep(restMs);
    }
  };
  const sending = send();
  try {
    await work();
  } finally {
    isDone = true;
    await sending;
  }
  const sorted = times.toSorted((a, b) => a - b);
  return {
    requests: times.length,
    longestMs: Math.round(sorted.at(-1) ?? 0),
    medianMs: Math.round(sorted[sorted.length >> 1] ?? 0),
    seconds: Math.round((performance.now() - started) / 1_000),
  };
}
