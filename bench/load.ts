import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import type { BenchRequest } from './contender.ts';

/** The result of a load: the number of responses, its duration, and their latencies in milliseconds, ascending. */
export type Load = { count: number; seconds: number; latencies: Float64Array };
/**
 * `rate`: maximum requests per second; without it, each connection sends its next request as soon as it gets a
 * response.
 */
export type LoadOptions = { requests: BenchRequest[]; concurrency: number; seconds: number; rate?: number };

/** The start of a GraphQL response, after `{"`, if the whole operation failed. */
const errors = Buffer.from('errors');
const LETTER_E = errors[0];

/** Sends requests over `concurrency` connections, one at a time on each. Throws if one fails. */
export async function load(origin: string, { requests, concurrency, seconds, rate }: LoadOptions): Promise<Load> {
  const clients = Array.from({ length: concurrency }, () => new Client(origin, { pipelining: 1 }));
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let next = 0;
  const work = async (client: Client, place: number) => {
    const pace = rate ? (1000 * concurrency) / rate : 0;
    let due = begin + (pace * place) / concurrency;
    while (performance.now() < end) {
      const early = due - performance.now();
      if (rate && early > 0) await sleep(early);
      due += pace;
      const started = performance.now();
      await send(client, requests[next++ % requests.length] as BenchRequest);
      times.push(performance.now() - started);
    }
  };
  try {
    await Promise.all(clients.map(work));
    return {
      count: times.length,
      seconds: (performance.now() - begin) / 1000,
      latencies: Float64Array.from(times).sort(),
    };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

/** Sends a request and discards most of the body unread, to keep the load generator cheap. */
function send(client: Client, { method, path, headers, body }: BenchRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    let fault: string | null = 'no answer';
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        fault = statusCode === 200 ? null : `${statusCode}`;
      },
      onResponseData(_controller, chunk) {
        if (chunk[2] === LETTER_E && chunk.subarray(2, 8).equals(errors)) fault = 'errors';
      },
      onResponseEnd() {
        if (fault === null) resolve();
        else reject(new Error(`${method} ${path} answered ${fault} under load`));
      },
      onResponseError: (_controller, error) => reject(error),
    };
    client.dispatch({ method, path, headers, body: typeof body === 'function' ? body() : body }, handler);
  });
}
