import { expect, test, vi } from 'vitest';
import { useGateway } from '../../support/gateway/app.ts';

const gateway = useGateway();
const get = (path: string, headers: Record<string, string>) => gateway.app.request(path, { headers });
/** As a browser asks for an address that somebody opens, and as programs do, one of which says that it reads HTML. */
const opened = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
const programs: Record<string, string>[] = [
  { accept: 'text/html, image/gif, *; q=.2' },
  { accept: '*/*', 'sec-fetch-mode': 'cors' },
];

test.each([
  ['/nowhere', 404, 'Page not found', 'The path /nowhere was not found.', 'docs'],
  ['/deep/<b>', 404, 'Page not found', 'The path /deep/&lt;b> was not found.', '../docs'],
  ['/run/leads', 401, 'This address needs a token', 'People sign in on the pages', '../docs'],
])('an error at %s is a page for who opened it, and JSON for programs', async (path, status, title, says, docs) => {
  const page = await get(path, opened);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('vary')).toContain('Sec-Fetch-Mode');
  for (const part of [`<h1>${title}</h1>`, says, `href="${docs}"`]) expect(html).toContain(part);
  for (const headers of programs) {
    const response = await get(path, headers);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect((await response.json()).code).toMatch(/^(not_found|unauthorized)$/);
  }
});

test('who has opened an address for programs is told where people sign in, and nothing of headers', async () => {
  const html = await (await get('/run/leads', opened)).text();
  for (const link of ['../graphql', '../dashboards', '../docs/keys']) {
    expect(html).toContain(`href="${link}"`);
    expect((await gateway.app.request(link.slice(2), { headers: opened })).status).toBe(200);
  }
  expect(html).toMatch(/npm run --silent (open|token)/);
  expect(html).not.toMatch(/Authorization|header "/);
  const withToken = await (await get('/run/leads', { ...opened, authorization: 'Bearer x' })).text();
  expect(withToken).toContain('People sign in');
  expect(withToken).toContain('<p>The bearer token is not valid: ');
});

test('an unexpected failure is a page with the id that its operator is to be told', async () => {
  const failing = vi.spyOn(gateway.services.tokens, 'jwks').mockRejectedValue(new Error('broken'));
  const page = await get('/.well-known/jwks.json', { ...opened, 'x-request-id': 'asked-1' });
  failing.mockRestore();
  const html = await page.text();
  expect([page.status, page.headers.get('x-request-id')]).toEqual([500, 'asked-1']);
  for (const part of ['<h1>The gateway failed</h1>', 'X-Request-Id: <code>asked-1</code>'])
    expect(html).toContain(part);
  expect(html).not.toContain('broken');
});
