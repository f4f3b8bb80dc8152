/**
 * `npm run package [-- <folder>]`: writes a folder (`dist` by default) that installs and starts anywhere: `npm ci
 * --omit=dev && npm start`. It includes generated code, and nothing that only a checkout needs.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Manifest, readLock, readManifest, subsetOf } from './lock.ts';
import { bundles, needed } from './make-missing.ts';

/** Files and folders of a package. */
const contents = [
  '.env.example',
  '.npmrc',
  'CHANGELOG.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'docs',
  'examples',
  'openapi.json',
  'prisma/demo',
  'prisma/migrations',
  'prisma/seed.ts',
  'prisma/upgrades',
  'schema',
  'scripts/healthy.js',
  'scripts/lock.ts',
  'scripts/make-missing.ts',
  'scripts/node-version.js',
  'scripts/precompile.ts',
  'scripts/ready.js',
  'scripts/slim.ts',
  'src',
];
/** Files among these that are only used in a checkout, and need its development packages. */
const leftOut = new Set([
  'src/cli/drift.ts',
  'src/cli/migration.ts',
  'src/cli/print-openapi.ts',
  'src/cli/print-permissions.ts',
  'src/cli/print-troubleshooting.ts',
  'src/cli/print-schema.ts',
  'src/cli/template.ts',
  'src/database/diff/models.ts',
  'src/bundle/rolldown.config.ts',
  'src/widget/rolldown.config.ts',
]);

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(root, 'dist'));

requireReplaceable(folder);
const missing = [...needed, ...bundles].filter((file) => !existsSync(path.join(root, file)));
if (missing.length > 0) throw new Error(`Run \`npm run generate\` first: ${missing.join(', ')} is missing.`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const part of contents) {
  const filter = (source: string) => {
    const file = path.relative(root, source).replaceAll(path.sep, '/');
    // Of the benchmarks, only their results are pages of /docs.
    return !leftOut.has(file) && (!file.startsWith('bench/') || /^bench\/[^/]+\.md$/.test(file));
  };
  cpSync(path.join(root, part), path.join(folder, part), { recursive: true, filter });
}
const own = readManifest(root);
const { manifest, lock } = subsetOf(own, readLock(root), Object.keys(own.dependencies));
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
writeFileSync(path.join(folder, 'package.json'), json(packagedManifest(own, manifest)));
writeFileSync(path.join(folder, 'package-lock.json'), json(lock));
process.stdout.write(`${path.relative(process.cwd(), folder) || folder}\n`);

/**
 * The checkout's manifest, reduced to production dependencies and to scripts whose program is included; nothing is to
 * be generated.
 */
function packagedManifest({ devDependencies: _dev, ...rest }: Manifest, production: Manifest): Manifest {
  const scripts = Object.entries(rest.scripts ?? {}).filter(([, command]) => {
    const program = /\bsrc\/[\w/-]+\.ts\b/.exec(command)?.[0];
    return program && existsSync(path.join(folder, program));
  });
  const postinstall = ['slim', 'precompile']
    .map((script) => `node --import ./scripts/node-version.js scripts/${script}.ts`)
    .join(' && ');
  return { ...rest, ...production, scripts: { ...Object.fromEntries(scripts), postinstall } };
}

/** Throws unless the folder is empty or contains an earlier package, so that nothing else is ever deleted. */
function requireReplaceable(target: string): void {
  if (!existsSync(target) || readdirSync(target).length === 0) return;
  const isPackage = existsSync(path.join(target, 'package.json')) && !existsSync(path.join(target, '.git'));
  if (isPackage && readManifest(target).name === readManifest(root).name && !readManifest(target).devDependencies)
    return;
  throw new Error(`${target} is not empty and is no package of an earlier run: name another folder, or remove it.`);
}
