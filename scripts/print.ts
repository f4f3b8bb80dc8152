/**
 * `npm run print`: prints the committed descriptions anew from the code. With `--check`, fails if one of them
 * was not current.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execute, npm } from './processes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const printed = ['schema/schema.graphql', 'openapi.json', 'docs/permissions.md', 'docs/troubleshooting.md'];
const read = () => printed.map((file) => readFileSync(`${root}/${file}`, 'utf8'));
const print = (name: string) =>
  execute(process.execPath, ['--disable-warning=ExperimentalWarning', `src/cli/print-${name}.ts`], { cwd: root });

const isCheck = process.argv.includes('--check');
const before = read();
await print('schema');
// The types of the REST layer's documents follow the schema. A check prints the same schema, or fails.
if (!isCheck) await npm(['run', '--silent', 'generate'], root);
for (const name of ['openapi', 'permissions', 'troubleshooting']) await print(name);

const after = read();
const stale = printed.filter((_, index) => before[index] !== after[index]);
if (isCheck && stale.length > 0) {
  process.stderr.write(`Printed files were not current: commit ${stale.join(' ')}, after 'npm run print'\n`);
  process.exitCode = 1;
}
