/**
 * `npm run bench:durability`: what syncing to disk costs the embedded database, and what its upkeep costs and saves.
 */
import { measureGrowth } from './growth.ts';
import { measurePauses } from './pauses.ts';
import { measureSpeed } from './speed.ts';

const print = (text: string) => void process.stdout.write(`${text}\n`);

for (const line of await measureSpeed()) print(line);
for (const leads of [10_000, 100_000]) for (const line of await measurePauses(leads)) print(line);
for (const line of await measureGrowth()) print(line);
process.exit();
