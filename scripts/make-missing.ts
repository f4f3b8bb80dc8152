import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is generated and the gateway cannot run without; a package holds it, a checkout makes it. */
export const needed = [
  'src/database/generated/prisma/client.ts',
  'schema/generated/prisma.ts',
  'src/rest/generated/graphql.ts',
];

/** Makes what is generated where some of it is missing. Ends the process with one line where it cannot. */
export async function makeMissing(): Promise<void> {
  if (needed.every((file) => existsSync(`${root}/${file}`))) return;
  if (!existsSync(`${root}/scripts/generators.ts`)) return fail('this package is incomplete: unpack it anew');
  process.stderr.write('Generating what a checkout lacks…\n');
  const { generators, run } = await import('./generators.ts');
  try {
    for (const generator of generators) await run(generator, root);
  } catch (error) {
    fail(`what is generated could not be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(why: string): void {
  process.stderr.write(`Parley cannot start: ${why}\n`);
  process.exit(1);
}
