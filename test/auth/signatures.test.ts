import { expect, test } from 'vitest';
import { newKey } from '../../src/auth/encryption/key-file.ts';
import { createSecrets } from '../../src/auth/encryption/secrets.ts';

const [old, current] = [newKey(), newKey()];
const sign = (keys: Parameters<typeof createSecrets>[0], text: string) => createSecrets(keys).sign('file links', text);
const isSigned = (keys: Parameters<typeof createSecrets>[0], text: string, signature: string) =>
  createSecrets(keys).isSigned('file links', text, signature);

test('a signature is good as long as its key is among the keys, so that a rotation breaks no link', () => {
  const signature = sign([old], '/files/1');
  expect(signature).toMatch(/^[\w-]{43}$/);
  expect(sign([old, current], '/files/1')).toBe(signature);
  expect(sign([current, old], '/files/1')).not.toBe(signature);
  expect(isSigned([current, old], '/files/1', signature)).toBe(true);
  expect(isSigned([current], '/files/1', signature)).toBe(false);
});

test.each([
  ['another text', '/files/2', (signature: string) => signature],
  ['one that is cut', '/files/1', (signature: string) => signature.slice(1)],
  ['none', '/files/1', () => ''],
  ['one of characters that take several bytes', '/files/1', (signature: string) => 'ü'.repeat(signature.length)],
])('a signature is no good for %s', (_, text, changed) => {
  expect(isSigned([old], text, changed(sign([old], '/files/1')))).toBe(false);
});
