import { diffModels } from '../database/diff/models.ts';
import { diffTriggers } from '../database/diff/triggers.ts';
import { declaredTriggers } from './declared-triggers.ts';

/** Fails if the migrations do not produce the schema that prisma/schema and the declared events describe. */
const difference = (await diffModels('summary')) ?? (await diffTriggers(declaredTriggers, null));
if (difference) {
  console.error(`The models and the migrations differ: run \`npm run migration -- <name>\`.\n${difference}`);
  process.exit(1);
}
console.log('The migrations match prisma/schema and the declared events.');
process.exit(0);
