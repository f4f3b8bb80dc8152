/**
 * `npm run check`: all checks but the tests, two at a time. Each says how long it took, and prints its output if it
 * failed; one that fails does not hide the others.
 */
import { fileURLToPath } from 'node:url';
import { execute } from './processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = 'node --disable-warning=ExperimentalWarning';

/** The compiler (1.8 GB) and the linter both use every core, so they do not run beside each other. */
const rows: Record<string, string>[] = [
  {
    types: 'tsc --incremental --tsBuildInfoFile node_modules/.cache/tsc/main.tsbuildinfo',
    'types of the widget': 'tsc -p src/widget/browser',
    'types of the pages': 'tsc -p src/http/pages/panels',
    lint: 'oxlint --type-aware --deny-warnings --report-unused-disable-directives',
  },
  {
    'migrations match the models': `${node} src/cli/drift.ts`,
    format: 'biome ci --colors=off .',
    'printed files': `${node} scripts/print.ts --check`,
    'OpenAPI description': 'spectral lint --quiet --fail-severity=warn openapi.json',
  },
];

async function run(name: string, command: string): Promise<void> {
  const begin = performance.now();
  let result = 'ok';
  try {
    await execute(command, [], { cwd: root, shell: true });
  } catch {
    result = `FAILED: ${command}`;
    process.exitCode = 1;
  }
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  process.stdout.write(`${seconds.padStart(6)} s  ${name}: ${result}\n`);
}

await Promise.all(
  rows.map(async (steps) => {
    for (const [name, command] of Object.entries(steps)) await run(name, command);
  }),
);
