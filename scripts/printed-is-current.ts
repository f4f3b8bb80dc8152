/** Checks that the committed descriptions match the code: prints them anew, and fails if one differs. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { npm } from './processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const printed = ['schema/schema.graphql', 'openapi.json', 'docs/permissions.md', 'docs/troubleshooting.md'];
const read = () => printed.map((file) => readFileSync(`${root}/${file}`, 'utf8'));

const before = read();
await npm(['run', '--silent', 'print'], root);
const after = read();
const stale = printed.filter((_, index) => before[index] !== after[index]);
if (stale.length > 0) {
  process.stderr.write(`Printed files were not current: run 'npm run print' and commit ${stale.join(' ')}\n`);
  process.exitCode = 1;
}
