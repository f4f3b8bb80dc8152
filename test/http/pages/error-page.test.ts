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
  ['/run/leads', 401, 'Nobody is signed in here', 'A bearer token is required', '../docs'],
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
