import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Generated files and folders without which the gateway cannot run: in a package; a checkout generates them. */
export const needed = [
  'src/database/generated/prisma/client.ts',
  'schema/generated/prisma.ts',
  'src/rest/generated/graphql.ts',
  'src/openai/generated/graphql.ts',
  'src/mcp/generated/graphql.ts',
  'src/widget/generated/widget.js',
  'src/knowledge/extract/generated/cmaps',
  'src/knowledge/extract/generated/standard_fonts',
];

/** Generated, too: what starts sooner with them. */
export const bundles = ['src/bundle/generated/gateway/bundle.json', 'src/bundle/generated/readers/bundle.json'];

/** Generates what is missing. On failure, prints one line and exits. */
export async function makeMissing(): Promise<void> {
  if (needed.every((file) => existsSync(`${root}/${file}`))) return;
  if (!existsSync(`${root}/scripts/generators.ts`)) return fail('this package is incomplete: unpack it anew');
  print('info', 'Generating what a checkout lacks…');
  const { generators, run } = await import('./generators.ts');
  try {
    for (const generator of generators) await run(generator, root);
  } catch (error) {
    fail(`what is generated could not be made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(why: string): void {
  print('fatal', `Parley cannot start: ${why}`);
  process.exit(1);
}

/** Text on a terminal, otherwise a line like the gateway's log; on standard error, since the output may be data. */
function print(level: string, msg: string): void {
  const line = process.stderr.isTTY ? msg : JSON.stringify({ level, time: new Date().toISOString(), msg });
  process.stderr.write(`${line}\n`);
}
