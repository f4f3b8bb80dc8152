/** `npm run bench`: installs the bench's own dependencies if they are missing, then runs it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Manifest = { version: string; dependencies: Record<string, string> };

const here = import.meta.dirname;
const manifestOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;

function isInstalled(): boolean {
  return Object.entries(manifestOf(here).dependencies).every(([name, version]) => {
    const folder = path.join(here, 'node_modules', name);
    return existsSync(folder) && manifestOf(folder).version === version;
  });
}

if (!isInstalled()) {
  console.error('Installing what only the bench needs');
  execFileSync('npm', ['ci'], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
}
const { run } = await import('./run.ts');
await run(process.argv.slice(2));
