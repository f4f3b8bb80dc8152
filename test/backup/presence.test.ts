import { expect, test } from 'vitest';
import { createPresence } from '../../src/database/serving/presence.ts';
import { useGateway } from '../support/gateway/app.ts';

const gateway = useGateway();

const versions = async (): Promise<string[]> => {
  const { rows } = await gateway.handle.pool.query('SELECT "version" FROM "Gateway" ORDER BY 1');
  return rows.map(({ version }) => version);
};

test('the processes of a server are known beside each other; of a folder, the one that has it', async () => {
  const [killed, serving] = ['1.0.0', '1.0.1'].map((version) => createPresence(gateway.handle, version));
  await killed?.announce();
  await serving?.announce();
  await serving?.renew();
  expect(await versions()).toEqual(gateway.handle.kind === 'embedded' ? ['1.0.1'] : ['1.0.0', '1.0.1']);
  await serving?.withdraw();
  expect(await versions()).toEqual(gateway.handle.kind === 'embedded' ? [] : ['1.0.0']);
});
