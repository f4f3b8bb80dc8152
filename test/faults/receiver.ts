import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a receiver takes to answer: another gateway could take the event for unclaimed meanwhile. */
const slowMs = 800;
const quietMs = 3_000;

/** A webhook receiver that counts the deliveries of each event. */
export async function openReceiver() {
  const told = new Map<string, number>();
  let last = performance.now();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    told.set(id, (told.get(id) ?? 0) + 1);
    last = performance.now();
    request.resume().on('end', () => setTimeout(() => response.writeHead(204).end(), slowMs));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told,
    /** Waits until no deliveries have arrived for a while. */
    async settle(): Promise<void> {
      while (performance.now() - last < quietMs) await sleep(100);
    },
    close() {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
