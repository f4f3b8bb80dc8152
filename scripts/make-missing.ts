import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Generated files that the gateway cannot run without: a package contains them, a checkout generates them. */
export const needed = [
  'src/database/generated/prisma/client.ts',
  'schema/generated/prisma.ts',
  'src/rest/generated/graphql.ts',
];

/** Generates what is missing. On failure, prints one line and exits. */
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
