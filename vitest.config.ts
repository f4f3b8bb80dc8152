import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node resolves packages without Vite's `development` condition; graphql would be loaded twice with it.
  ssr: { resolve: { conditions: ['node', 'module-sync'], externalConditions: ['node', 'module-sync'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    // Loading the gateway anew for each file would take a third of the time; what files share must not matter to them.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
