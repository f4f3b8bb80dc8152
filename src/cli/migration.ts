import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffModels } from '../database/diff/models.ts';
import { diffTriggers } from '../database/diff/triggers.ts';
import { migrationsFolder } from '../database/migrations.ts';
import { declaredTriggers } from './declared-triggers.ts';

/**
 * `npm run migration -- <name>` writes the migration that brings the database in line with the models of prisma/schema
 * and the events that the domains declare.
 */
const name = process.argv[2];
if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error(
    'Usage: npm run migration -- <name>, in lower case and underscores: what changes, such as add_lead_score',
  );
  process.exit(1);
}

const models = await diffModels('sql');
const triggers = await diffTriggers(declaredTriggers, models);
const script = [models, triggers].filter(Boolean).join('\n');
if (!script) {
  console.log('The migrations already match prisma/schema and the declared events: nothing to write.');
  process.exit(0);
}
const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = `${time}_${name}`;
mkdirSync(join(migrationsFolder, folder), { recursive: true });
writeFileSync(join(migrationsFolder, folder, 'migration.sql'), script);
writeFileSync(join(migrationsFolder, 'migration_lock.toml'), 'provider = "postgresql"\n');
console.log(`Wrote prisma/migrations/${folder}/migration.sql: read it, then commit it with the models.`);
process.exit(0);
