import { checkpoint, type Step, vacuumChanged } from '../../src/database/upkeep/maintenance.ts';
import { analyzeChanged } from '../../src/database/upkeep/statistics.ts';
import { makeLeads, newFolder, open } from './folder.ts';

/**
 * Measures how long each upkeep step blocks other statements, while `leads` random updates are made to as many leads.
 */
export async function measurePauses(leads: number): Promise<string[]> {
  const { pool, close } = await open(await newFolder());
  await pool.query(makeLeads(1, leads));
  const steps: Step[] = [];
  const upkeep = async () => {
    await analyzeChanged(pool);
    steps.push(...(await vacuumChanged(pool)));
    const step = await checkpoint(pool);
    if (step) steps.push(step);
  };
  await upkeep();
  const loaded = steps.splice(0);
  for (let changed = 0; changed < leads; changed += 1_000) {
    await pool.query(`UPDATE "Lead" SET "name" = "name" || '.', "updatedAt" = now() WHERE id IN
      (SELECT 'lead_' || (1 + floor(random() * ${leads}))::int FROM generate_series(1, 1000))`);
    await upkeep();
  }
  await close();
  return [describe(`${leads} leads at once`, loaded), describe(`${leads} changes to ${leads} leads`, steps)];
}

function describe(what: string, steps: Step[]): string {
  const words = ['CHECKPOINT', 'VACUUM'].map((kind) => {
    const times = steps.filter((step) => step.what.startsWith(kind)).map(({ ms }) => ms);
    return `${kind} ${times.length} times, longest ${Math.max(0, ...times)} ms`;
  });
  return `${what}: ${words.join('; ')}`;
}
