import type { EmbeddedSync } from '../../src/database/pglite/embedded.ts';
import { withoutDisk } from './disk-switch.ts';
import { makeLeads, median, newFolder, open } from './folder.ts';

const rounds = 8;
const batch = 300;

/**
 * Compares inserts per second, one lead each, in interleaved rounds: without syncing, syncing every second, syncing
 * every commit.
 */
export async function measureSpeed(): Promise<string[]> {
  const ways: { name: string; sync: EmbeddedSync; isOff: boolean }[] = [
    { name: 'no sync', sync: 'second', isOff: true },
    { name: 'second', sync: 'second', isOff: false },
    { name: 'commit', sync: 'commit', isOff: false },
  ];
  const handles = await Promise.all(ways.map(async ({ sync }) => open(await newFolder(), sync)));
  const speeds = ways.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { isOff }] of ways.entries()) {
      const pool = handles[index]?.pool;
      if (!pool) continue;
      const write = async () => {
        const since = performance.now();
        await Promise.all(Array.from({ length: batch }, (_, n) => pool.query(makeLeads(round * batch + n, 1))));
        return (batch * 1000) / (performance.now() - since);
      };
      const speed = await (isOff ? withoutDisk(write) : write());
      if (round > 0) speeds[index]?.push(speed);
    }
  }
  await Promise.all(handles.map((handle) => handle.close()));
  return ways.map(({ name }, index) => {
    const ratio = median((speeds[index] ?? []).map((speed, round) => speed / (speeds[0]?.[round] ?? 1)));
    return `writes a second, ${name}: ${Math.round(median(speeds[index] ?? []))}, ${ratio.toFixed(2)} of those without sync`;
  });
}
