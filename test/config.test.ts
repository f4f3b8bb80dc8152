import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

describe('a setting that is wrong is named, with what it must be', () => {
  test.for([
    [{ PORT: 'abc' }, 'PORT: must be a whole number from 0 to 65535'],
    [{ PORT: '40.5' }, 'PORT: must be a whole number from 0 to 65535'],
    [{ PORT: '70000' }, 'PORT: must be a whole number from 0 to 65535'],
    [{ MODEL_TIMEOUT_MS: '5' }, 'MODEL_TIMEOUT_MS: must be a whole number from 100 to 600000'],
    [{ DEMO: 'maybe' }, /^DEMO: /],
    [{ DATABASE_URL: 'mysql://u:secret@h/d' }, 'DATABASE_URL: must be a postgres:// URL'],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL: /],
    [{ PUBLIC_URL: 'parley' }, /^PUBLIC_URL: /],
    [{ FETCH_ALLOW_HOSTS: 'wiki.example, http://wiki.example/' }, /^FETCH_ALLOW_HOSTS: must be host or host:port/],
    [{ FETCH_ALLOW_HOSTS: 'wiki.example:http' }, /^FETCH_ALLOW_HOSTS: /],
  ] as const)('%j', ([env, message]) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });

  test('all of them at once, and none with its value', () => {
    const read = () => readConfig({ PORT: 'secret', DEMO: 'secret', DATABASE_URL: 'secret' });
    expect(read).toThrow(/^PORT: .*\nDATABASE_URL: .*\nDEMO: .*$/);
    expect(read).not.toThrow(/secret/);
  });
});

describe('a setting that means nothing alone asks for its companion', () => {
  test.for([
    [{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_AUDIENCE: is required when OIDC_ISSUER is set'],
    [{ OIDC_AUDIENCE: 'parley' }, 'OIDC_ISSUER: is required when OIDC_AUDIENCE is set'],
    [{ OIDC_JWKS_URL: 'https://id.example/keys' }, 'OIDC_ISSUER: is required when OIDC_JWKS_URL is set'],
    [{ MODEL_BASE_URL: 'https://model.example' }, 'MODEL_NAME: is required when MODEL_BASE_URL is set'],
    [{ MODEL_NAME: 'm' }, 'MODEL_BASE_URL: is required when MODEL_NAME is set'],
    [{ MODEL_API_KEY: 'k' }, 'MODEL_BASE_URL: is required when MODEL_API_KEY is set'],
  ] as const)('%j', ([env, message]) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});

test('an empty or blank setting is no setting', () => {
  expect(readConfig({ PORT: ' ', HOST: '', DATABASE_URL: ' ', DEMO: '' })).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    databaseUrl: null,
    demo: true,
  });
});

test('private hosts may be named with a port, and in IPv6', () => {
  const hosts = readConfig({ FETCH_ALLOW_HOSTS: '127.0.0.1:4500, wiki.internal, [::1]:80, ::1' }).fetchAllowHosts;
  expect(hosts).toEqual(['127.0.0.1:4500', 'wiki.internal', '[::1]:80', '::1']);
});
