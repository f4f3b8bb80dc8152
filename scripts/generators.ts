import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readLock, readManifest, subsetOf } from './lock.ts';
import { execute, npm, programOf } from './processes.ts';

/** A code generator: the packages, files and folders that it needs, and the folders that it writes. */
export type Generator = {
  name: string;
  /** The generator's own package first, then others that it needs. */
  packages: string[];
  inputs: string[];
  outputs: string[];
} & (
  | { args: string[] }
  /** It needs the packages of the gateway, too: where its own must be installed, it still runs in the checkout. */
  | { args: string[]; runsInCheckout: true }
  /** Folders of the package that are copied to the first output. */
  | { copies: string[] }
);

/** In the order in which they must run. */
export const generators: Generator[] = [
  {
    name: 'prisma',
    packages: ['prisma', '@prisma/client', '@pothos/plugin-prisma', '@pothos/core', 'graphql', 'typescript'],
    inputs: ['prisma/schema', 'prisma.config.ts'],
    outputs: ['src/database/generated/prisma', 'schema/generated'],
    args: ['generate', '--no-hints'],
  },
  {
    name: 'graphql-codegen',
    packages: ['@graphql-codegen/cli', '@graphql-codegen/client-preset', 'graphql'],
    inputs: ['schema/schema.graphql', 'src/rest/documents', 'src/openai/documents', 'src/mcp/documents', 'codegen.ts'],
    outputs: ['src/rest/generated', 'src/openai/generated', 'src/mcp/generated'],
    args: ['--config', 'codegen.ts', '--silent'],
  },
  {
    name: 'rolldown',
    packages: ['rolldown', 'preact'],
    inputs: ['src/widget/rolldown.config.ts', 'src/widget/browser'],
    outputs: ['src/widget/generated'],
    args: ['--config', 'src/widget/rolldown.config.ts'],
  },
  {
    name: 'rolldown',
    packages: ['rolldown'],
    inputs: ['src/bundle/rolldown.config.ts'],
    outputs: ['src/bundle/generated'],
    args: ['--config', 'src/bundle/rolldown.config.ts'],
    runsInCheckout: true,
  },
  {
    name: 'pdf-data',
    packages: ['pdfjs-dist'],
    inputs: [],
    outputs: ['src/knowledge/extract/generated'],
    copies: ['cmaps', 'standard_fonts'],
  },
];

/**
 * Runs a generator in a checkout. If its packages are not installed, as after `npm ci --omit=dev`, installs them in the
 * locked versions in a temporary folder.
 */
export async function run(generator: Generator, root: string): Promise<void> {
  const isInstalled = generator.packages.every((name) => existsSync(path.join(root, 'node_modules', name)));
  await (isInstalled ? generateIn(root, generator) : installAndGenerate(generator, root));
}

async function installAndGenerate(generator: Generator, root: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-generate-'));
  try {
    const { manifest, lock } = subsetOf(readManifest(root), readLock(root), generator.packages);
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
    for (const input of generator.inputs) {
      mkdirSync(path.dirname(path.join(folder, input)), { recursive: true });
      cpSync(path.join(root, input), path.join(folder, input), { recursive: true });
    }
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
    if ('runsInCheckout' in generator) return await generateIn(root, generator, folder);
    await generateIn(folder, generator);
    for (const output of generator.outputs) {
      rmSync(path.join(root, output), { recursive: true, force: true });
      cpSync(path.join(folder, output), path.join(root, output), { recursive: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `installed` has the generator's package, if `folder` has not. */
async function generateIn(folder: string, generator: Generator, installed = folder): Promise<void> {
  const { name, packages, outputs } = generator;
  const own = packages[0] ?? name;
  if ('copies' in generator) {
    for (const output of outputs) rmSync(path.join(folder, output), { recursive: true, force: true });
    for (const part of generator.copies) {
      const source = path.join(folder, 'node_modules', own, part);
      cpSync(source, path.join(folder, outputs[0] ?? '', part), { recursive: true });
    }
    return;
  }
  await execute(process.execPath, [programOf(installed, own, name), ...generator.args], {
    cwd: folder,
    env: {
      ...process.env,
      // `prisma generate` checks for a native engine, but does not run it.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PATH: [path.join(installed, 'node_modules/.bin'), path.dirname(process.execPath), process.env.PATH].join(
        path.delimiter,
      ),
    },
  });
}

/** Makes the databases that new data folders and tests begin with, where they are missing. Needs no other package. */
export const makeTemplates = (root: string): Promise<void> =>
  execute(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/cli/template.ts'], { cwd: root });
