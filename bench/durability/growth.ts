import { sizeOf } from '../../src/database/pglite/folder-size.ts';
import { checkpoint, vacuumChanged } from '../../src/database/upkeep/maintenance.ts';
import { copyOf, makeLeads, newFolder, open } from './folder.ts';

const rounds = 3;
const changes = 10_000;

/** Measures how the folder grows with repeated updates, and how long it takes to open after the process was killed. */
export async function measureGrowth(): Promise<string[]> {
  const lines: string[] = [];
  for (const isKept of [false, true]) {
    const folder = await newFolder();
    const { pool, close } = await open(folder);
    await pool.query(makeLeads(1, 1_000));
    const sizes = [(await sizeOf(folder)).total];
    for (let round = 0; round < rounds; round++) {
      for (let change = 0; change < changes; change++) {
        await pool.query(
          `UPDATE "Lead" SET "name" = 'Name ${change}', "updatedAt" = now() WHERE id = 'lead_${1 + (change % 1_000)}'`,
        );
        if (!isKept || change % 1_000 > 0) continue;
        await vacuumChanged(pool);
        await checkpoint(pool);
      }
      sizes.push((await sizeOf(folder)).total);
    }
    const killed = copyOf(folder);
    const since = performance.now();
    const reopened = await open(killed);
    const opened = Math.round(performance.now() - since);
    await reopened.close();
    await close();
    const told = sizes.map((size) => Math.round(size / 2 ** 20)).join(', ');
    lines.push(
      `${isKept ? 'with' : 'without'} upkeep, MB after each ${changes} changes: ${told}; opened after a kill in ${opened} ms`,
    );
  }
  return lines;
}
