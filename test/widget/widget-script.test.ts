import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/app.ts';

const gateway = useGateway();

describe('the script of a widget', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    gateway.app.request(path, { headers: { origin: 'https://any.example', ...headers } });

  test('is loaded by any page, kept by browsers, and asked for anew at little cost', async () => {
    const { headers } = await get('/widget.js?channel=pub_1');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
    });
    expect((await get('/widget.js', { 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
    expect((await gateway.app.request('/widget.js', { method: 'POST' })).status).toBe(405);
  });

  test('loads modules of one release alone, without types and without names of packages', async () => {
    const [, folder] = /import\(new URL\('(widget\/[0-9a-f]{12})\//.exec(await (await get('/widget.js')).text()) ?? [];
    const left = new Set(['main.js']);
    for (const name of left) {
      const response = await get(`/${folder}/${name}`);
      expect([name, response.status, response.headers.get('cache-control')]).toEqual([
        name,
        200,
        'public, max-age=31536000, immutable',
      ]);
      for (const [, specifier] of (await response.text()).matchAll(/\bfrom\s*['"]([^'"]+)['"]/g)) {
        expect(specifier).toMatch(/^\.\/[a-z]+\.js$/);
        left.add(`${specifier}`.slice(2));
      }
    }
    expect(left.size).toBe(14);
    expect((await get('/widget/000000000000/main.js')).headers.get('cache-control')).toBe('no-cache');
    expect((await get(`/${folder}/other.js`)).status).toBe(404);
  });
});
