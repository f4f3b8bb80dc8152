import type { Services } from '../../src/context.ts';
import { withAdvisoryLock } from '../../src/database/advisory.ts';
import type { DatabaseHandle } from '../../src/database/client.ts';
import { readProgress } from './progress.ts';

/** Makes the demo workspace if DEMO is on and it does not exist, or adopts the one that a new database began with. */
export async function prepareDemo(
  services: Services,
  handle: DatabaseHandle,
  onStep: (text: string) => void,
): Promise<void> {
  const { config } = services;
  const progress = await readProgress(handle.pool);
  const isEmbedded = handle.kind === 'embedded';
  if (isEmbedded && progress === 'copied') {
    const { adoptCopy } = await import('./copy.ts');
    return adoptCopy(services);
  }
  if (!config.demo || progress === 'complete') return;
  onStep('Creating the demo workspace');
  const { seedDemo } = await import('../seed.ts');
  // Of replicas that start at once, one seeds it. The embedded database has a single connection, owned by this process.
  const seed = () => seedDemo(services);
  await (isEmbedded ? seed() : withAdvisoryLock(handle.pool, 'demo', seed));
}
