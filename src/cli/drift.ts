import { diffModels } from '../database/migration-diff.ts';

/** Fails when the migrations do not make what prisma/schema says. */
const difference = await diffModels('summary');
if (difference) {
  console.error(`The models and the migrations differ: run \`npm run migration -- <name>\`.\n${difference}`);
  process.exit(1);
}
console.log('The migrations make exactly what prisma/schema says.');
process.exit(0);
