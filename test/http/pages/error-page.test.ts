import { expect, test } from 'vitest';
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
  ['/run/leads', 401, 'This did not work', 'A bearer token is required', '../docs'],
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
