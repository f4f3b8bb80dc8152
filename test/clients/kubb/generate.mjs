import { build } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

// Without its command line, which asks the network for a newer version.
await build({
  config: {
    root: '.',
    input: { path: '../openapi.json' },
    output: { path: './client', extension: { '.ts': '.js' } },
    plugins: [
      pluginOas({ generators: [] }),
      pluginTs({ output: { path: './types' } }),
      pluginClient({ output: { path: './calls' }, client: 'fetch', dataReturnType: 'full' }),
    ],
  },
});
