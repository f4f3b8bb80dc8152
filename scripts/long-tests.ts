/** `npm run test:…`: runs tests of the suite with more iterations. Variables that are already set take precedence. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programOf } from './processes.ts';

const runs: Record<string, { more: NodeJS.ProcessEnv; files: string[] }> = {
  kills: {
    more: { KILLS: '100' },
    files: ['test/turns/turn-kill.system.test.ts', 'test/domain/idempotency-kill.system.test.ts'],
  },
  'source-kills': { more: { KILLS: '200' }, files: ['test/knowledge/source-kill.system.test.ts'] },
  compiled: {
    more: { COMPILED_OPERATIONS: '5000', COMPILED_MUTATIONS: '40' },
    files: ['test/compiled/random-operations.test.ts', 'test/compiled/rest.test.ts', 'test/compiled/mutations.test.ts'],
  },
};

const [name = '', ...flags] = process.argv.slice(2);
const run = runs[name];
if (!run) throw new Error(`Name what to run: ${Object.keys(runs).join(', ')}`);
const root = fileURLToPath(new URL('..', import.meta.url));
const { status } = spawnSync(process.execPath, [programOf(root, 'vitest', 'vitest'), 'run', ...run.files, ...flags], {
  cwd: root,
  env: { ...run.more, ...process.env },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
