import { existsSync } from 'node:fs';
import { openBundle } from '../bundle/bundle.ts';
import { lazy } from '../core/lazy.ts';

const bundle = lazy(() => openBundle('readers'));

/**
 * The bundled file of a module that readers run. Looked up once, since what a process asks its readers does not change;
 * the module itself if the file has gone meanwhile.
 */
export function bundled(module: URL): URL {
  const file = bundle()(module);
  return existsSync(file) ? file : module;
}
