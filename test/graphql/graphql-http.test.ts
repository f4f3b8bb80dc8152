import { type Audit, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let server: Listening;
let bearer: string;
beforeAll(async () => {
  bearer = await gateway.bearer((await makeWorkspace(gateway)).owner);
  server = await listen(gateway.app.fetch, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(1_000));

/** The requests of the audits, over a real connection and with a bearer. */
const fetchFn = (url: string, init: RequestInit = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${bearer}`);
  return fetch(url, { ...init, headers });
};

const audits: Audit[] = serverAudits({ url: () => `${server.url}/graphql`, fetchFn });

describe('GraphQL over HTTP, with authentication and limits on:', () => {
  test('all audits are there', () => {
    expect(audits.length).toBeGreaterThanOrEqual(61);
  });

  test.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn();
    expect(result.status, 'reason' in result ? result.reason : undefined).toBe('ok');
  });

  test('HEAD is answered as GET is, without the body', async () => {
    const url = `${server.url}/graphql?query={__typename}`;
    const [head, get] = [await fetchFn(url, { method: 'HEAD' }), await fetchFn(url)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect((await fetchFn(`${server.url}/graphql`, { method: 'HEAD' })).status).toBe(400);
  });

  test('needs a bearer', async () => {
    const response = await fetch(`${server.url}/graphql?query={__typename}`);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});
