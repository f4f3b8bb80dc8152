import { readFileSync } from 'node:fs';
import path from 'node:path';

export type Manifest = {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Record<string, string>;
  scripts?: Record<string, string>;
  allowScripts?: Record<string, boolean>;
  [key: string]: unknown;
};
/** A package in the lock file, with its dependencies. */
export type LockedPackage = {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  [key: string]: unknown;
};
export type Lock = { name: string; version: string; packages: Record<string, LockedPackage>; [key: string]: unknown };

const readJson = (root: string, file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
export const readManifest = (root: string): Manifest => readJson(root, 'package.json');
export const readLock = (root: string): Lock => readJson(root, 'package-lock.json');

/**
 * A manifest and a lock file with only the named packages and their dependencies, in the versions of the project's
 * lock.
 */
export function subsetOf(manifest: Manifest, lock: Lock, names: string[]): { manifest: Manifest; lock: Lock } {
  const versions = { ...manifest.devDependencies, ...manifest.dependencies };
  const dependencies = Object.fromEntries(names.map((name) => [name, versions[name] ?? '*']));
  const paths = pathsOf(lock, names);
  const present = new Set([...paths].map(nameOf));
  const kept = <T>(named: Record<string, T> = {}) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => present.has(name)));
  const { name, version } = manifest;
  const own = { name, version, dependencies };
  const packages = Object.entries(lock.packages).flatMap(([packagePath, entry]) => {
    if (!paths.has(packagePath)) return [];
    const { dev: _dev, devOptional: _devOptional, ...rest } = entry;
    return [[packagePath, rest] as const];
  });
  return {
    manifest: {
      ...own,
      private: true,
      type: 'module',
      overrides: kept(manifest.overrides),
      allowScripts: kept(manifest.allowScripts),
    },
    lock: { ...lock, packages: { '': own, ...Object.fromEntries(packages) } },
  };
}

/** The paths of the named root packages and all their dependencies in the lock file, except for optional peers. */
export function pathsOf({ packages }: Lock, names: string[]): Set<string> {
  const paths = new Set<string>();
  const queue = names.map((name) => ({ from: '', name }));
  for (let next = queue.pop(); next; next = queue.pop()) {
    const packagePath = pathOf(packages, next.from, next.name);
    if (!packagePath || paths.has(packagePath)) continue;
    paths.add(packagePath);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[packagePath] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      queue.push({ from: packagePath, name });
    }
  }
  return paths;
}

/** Resolves a package as Node would: in the dependent's own node_modules, or in those above it. */
function pathOf(packages: Lock['packages'], from: string, name: string): string | undefined {
  const folders = [''];
  for (let folder = from; folder; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    folders.splice(-1, 0, `${folder}/`);
  }
  return folders.map((folder) => `${folder}node_modules/${name}`).find((packagePath) => packages[packagePath]);
}

export const nameOf = (packagePath: string): string => packagePath.split('node_modules/').at(-1) ?? '';
