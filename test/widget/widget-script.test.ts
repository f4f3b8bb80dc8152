import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';

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

  test('is one file that imports nothing, and small', async () => {
    const script = await (await get('/widget.js')).text();
    expect(script).not.toMatch(/\bimport\s*\(|\bfrom\s*['"]|\beval\b|new Function/);
    // Stated in docs/widget.md.
    expect(brotliCompressSync(script).length).toBeLessThan(22_500);
  });
});
