import { inject } from 'vitest';
import { prepareDemo } from '../../../prisma/demo/prepare.ts';
import type { Services } from '../../../src/context.ts';
import { embeddedDatabase } from '../database/database.ts';
import { type Gateway, openGateway } from './app.ts';

/**
 * A gateway with the demo workspace, which it has as one that is started does: copied where its database is embedded, a
 * fifth of the time of a seed, otherwise seeded.
 */
export async function openDemo(services: Partial<Services> = {}): Promise<Gateway> {
  const database = inject('template').kind === 'embedded' ? await embeddedDatabase('demo') : undefined;
  const gateway = await openGateway({ DEMO: 'true' }, services, database);
  await prepareDemo(gateway.services, gateway.handle, () => {});
  return gateway;
}
