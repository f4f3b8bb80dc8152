/**
 * Deletes what an installation for production never loads: packages that only work on the gateway needs, which npm
 * installs as optional peers of others; source maps, typings and the headers of Node; and Prisma's compilers for other
 * databases. Does nothing where the packages for development are installed.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pathsOf, readLock, readManifest } from './lock.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = readManifest(root);
if (!existsSync(path.join(root, 'node_modules/vitest'))) slim();

function slim(): void {
  const lock = readLock(root);
  const loaded = pathsOf(lock, Object.keys(dependencies));
  // Programs of node_modules/.bin that lose their packages are never called.
  for (const packagePath of Object.keys(lock.packages))
    if (packagePath && !loaded.has(packagePath)) remove(packagePath);
  for (const entry of readdirSync(path.join(root, 'node_modules'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    if (isUnused(file.replaceAll(path.sep, '/'))) rmSync(file);
  }
  // Without npm's record of the folder, a later `npm install` sees what is missing.
  remove('node_modules/.package-lock.json');
}

function remove(packagePath: string): void {
  rmSync(path.join(root, packagePath), { recursive: true, force: true });
}

function isUnused(file: string): boolean {
  if (/\.map$|\.d\.[cm]?ts$|\/node_modules\/node-[\w-]+\/include\//.test(file)) return true;
  return (
    file.includes('/@prisma/client/runtime/query_compiler_') && !file.includes('query_compiler_fast_bg.postgresql.')
  );
}
