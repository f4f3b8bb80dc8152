import { hash } from 'node:crypto';
import { globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin, RolldownOptions } from 'rolldown';
import type { Bundle } from './bundle.ts';

const root = path.join(import.meta.dirname, '../..');
/** From the root, with slashes on every system. */
const nameOf = (file: string) => path.relative(root, file).replaceAll(path.sep, '/');
const isOurs = (file: string) => path.isAbsolute(file) && !/^\.\.|(^|\/)node_modules\//.test(nameOf(file));
/** The file that says which version of a package is installed. */
const packageOf = (file: string) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(file.replaceAll(path.sep, '/'))?.[0];
const hashOf = (file: string) => hash('sha256', readFileSync(file), 'base64');

/** They find files of their own beside themselves, or are large texts that only a page needs. */
const external = [
  /^(unpdf|libphonenumber-js|chart\.js|@electric-sql|@graphql-yoga\/render-graphiql|@scalar\/fastify-api-reference)\b/,
  '@prisma/schema-engine-wasm',
];

/**
 * Bundles what starts often or must start fast: Node would strip the types and look for a thousand modules anew each
 * time. With a list of the sources and of the packages, by whose hashes `bundle.ts` sees whether they are what was
 * bundled. Only types are imported: without development packages, the bundler is not where this file is.
 */
const bundleOf = (name: string, entries: string[]): RolldownOptions => {
  const folder = path.join(import.meta.dirname, 'generated', name);
  return {
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [path.basename(entry, '.ts'), entry])),
    platform: 'node',
    tsconfig: false,
    external,
    plugins: [sourceUrls(folder), sourceList(folder)],
    output: {
      dir: folder,
      // A file keeps its content under its name: a process that runs meanwhile may load it later.
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      keepNames: true,
      // V8 keeps the text: without spaces, and with one byte a character, it is half as long.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
  };
};

/** A module finds files beside its source. */
const sourceUrls = (folder: string): Plugin => ({
  name: 'urls of sources',
  transform(code, file) {
    if (!isOurs(file) || !code.includes('import.meta.url')) return null;
    const url = path.relative(folder, file).replaceAll(path.sep, '/');
    return code.replaceAll('import.meta.url', `new URL('${url}', import.meta.url).href`);
  },
});

const weekMs = 7 * 86_400_000;

/** Writes `bundle.json` last, and deletes old files that neither this bundle nor the one before has. */
const sourceList = (folder: string): Plugin => ({
  name: 'list of sources',
  writeBundle(_, output) {
    const modules = [...this.getModuleIds()];
    const packages = new Set(modules.flatMap((file) => packageOf(file) ?? []));
    const sources = [...modules.filter(isOurs), ...[...packages].map((place) => `${place}package.json`)].toSorted();
    const bundle: Bundle = {
      entries: Object.fromEntries(
        Object.values(output).flatMap((chunk) =>
          chunk.type === 'chunk' && chunk.isEntry && chunk.facadeModuleId
            ? [[nameOf(chunk.facadeModuleId), chunk.fileName]]
            : [],
        ),
      ),
      sources: Object.fromEntries(sources.map((file) => [nameOf(file), hashOf(file)])),
      files: Object.keys(output),
    };
    const list = path.join(folder, 'bundle.json');
    const before = filesOf(list);
    writeFileSync(`${list}.new`, JSON.stringify(bundle, null, 2));
    renameSync(`${list}.new`, list);
    // Made again, it is the bundle before, too: whatever runs may be of one that is not known any more.
    if (isSame(bundle.files, before)) return;
    const kept = new Set([...bundle.files, ...before]);
    for (const file of globSync('*.js*(.map)', { cwd: folder })) {
      const isOld = statSync(path.join(folder, file)).mtimeMs < Date.now() - weekMs;
      if (isOld && !kept.has(file)) rmSync(path.join(folder, file));
    }
  },
});

const isSame = (some: string[], others: string[]) => some.toSorted().join() === others.toSorted().join();

function filesOf(list: string): string[] {
  try {
    return (JSON.parse(readFileSync(list, 'utf8')) as Bundle).files;
  } catch {
    return [];
  }
}

export default [
  bundleOf('readers', [
    'src/sandbox/child-main.ts',
    'src/knowledge/extract/read.ts',
    'src/knowledge/extract/pictures/pdf-pictures.ts',
    'src/knowledge/crawl/robots.ts',
    'src/knowledge/crawl/sitemap.ts',
    'src/plugins/read-description.ts',
  ]),
  bundleOf('gateway', ['src/main.ts']),
];
