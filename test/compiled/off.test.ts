import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld } from '../support/world/world.ts';

const gateway = useGateway({ COMPILED_QUERIES: 'on' });

test('without the compiled queries the gateway answers the same, by the resolvers', async () => {
  const { owner } = await makeWorld(gateway);
  const headers = { authorization: `Bearer ${await gateway.bearer(owner)}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ agents { totalCount nodes { name } } }' });
  const requests: [string, RequestInit][] = [
    ['/graphql', { method: 'POST', headers, body }],
    ['/rest/agents', { headers }],
  ];
  for (const [address, init] of requests) {
    const ask = async (compiled: boolean) => {
      const services = { ...gateway.services, config: { ...gateway.services.config, compiledQueries: compiled } };
      const response = await createApp(services, async () => null).request(address, init);
      return {
        compiled: response.headers.get('x-parley-compiled'),
        status: response.status,
        body: await response.text(),
      };
    };
    const answer = await ask(true);
    expect(answer).toMatchObject({ compiled: '1', status: 200 });
    expect(await ask(false)).toEqual({ ...answer, compiled: null });
  }
});
