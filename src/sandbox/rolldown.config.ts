import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RolldownOptions } from 'rolldown';

const root = path.join(import.meta.dirname, '../..');
const folder = path.join(import.meta.dirname, 'generated');
/** From the root, with slashes on every system. */
const nameOf = (file: string) => path.relative(root, file).replaceAll(path.sep, '/');
const isOurs = (file: string) => nameOf(file).startsWith('src/');
/** The file that says which version of a package is installed. */
const packageOf = (file: string) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(file.replaceAll(path.sep, '/'))?.[0];

/** What a reader runs: its own program, and each task. */
const inputs = [
  'src/sandbox/child-main.ts',
  'src/knowledge/extract/read.ts',
  'src/knowledge/extract/pictures/pdf-pictures.ts',
  'src/knowledge/crawl/robots.ts',
  'src/knowledge/crawl/sitemap.ts',
  'src/plugins/read-description.ts',
];

/**
 * Bundles what readers run: they end often, and Node would strip the types and look for the packages anew in each. With
 * a list of the sources and of the packages, by whose hashes `bundle.ts` sees whether they are still what was bundled.
 * Only the type is imported: without development packages, the bundler is not where this file is.
 */
const config: RolldownOptions = {
  cwd: root,
  input: Object.fromEntries(inputs.map((name) => [path.basename(name, '.ts'), name])),
  platform: 'node',
  tsconfig: false,
  // They find files of their own, beside themselves.
  external: ['unpdf', /^libphonenumber-js/],
  plugins: [
    {
      name: 'urls of sources',
      transform(code, file) {
        if (!isOurs(file) || !code.includes('import.meta.url')) return null;
        const url = path.relative(folder, file).replaceAll(path.sep, '/');
        return code.replaceAll('import.meta.url', `new URL('${url}', import.meta.url).href`);
      },
    },
    {
      name: 'list of sources',
      generateBundle(_, chunks) {
        const files = [...this.getModuleIds()];
        const packages = new Set(files.flatMap((file) => packageOf(file) ?? []));
        const sources = [...files.filter(isOurs), ...[...packages].map((folder) => `${folder}package.json`)].toSorted();
        const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('base64');
        const list = {
          entries: Object.fromEntries(
            Object.values(chunks).flatMap((chunk) =>
              chunk.type === 'chunk' && chunk.isEntry && chunk.facadeModuleId
                ? [[nameOf(chunk.facadeModuleId), chunk.fileName]]
                : [],
            ),
          ),
          sources: Object.fromEntries(sources.map((file) => [nameOf(file), hashOf(file)])),
        };
        this.emitFile({ type: 'asset', fileName: 'bundle.json', source: JSON.stringify(list, null, 2) });
      },
    },
  ],
  // Without hashes: nothing is left of earlier ones, and no name is gone while a gateway runs.
  output: { dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
};

export default config;
