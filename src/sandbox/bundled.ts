import { openBundle } from '../bundle/bundle.ts';
import { lazy } from '../core/lazy.ts';

const bundle = lazy(() => openBundle('readers'));

/** The bundled file of a module that readers run. Read once: what a process asks its readers does not change. */
export const bundled = (module: URL): URL => bundle()(module);
