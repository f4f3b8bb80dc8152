import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { misspelledNames } from '../../src/config/misspelled-names.ts';
import { settingNames } from '../../src/config/variables.ts';

describe('the embedding model', () => {
  test('is none unless it is named, and is given its own key alone', () => {
    expect(readConfig({}).embedding).toBeNull();
    expect(readConfig({ EMBEDDING_MODEL: 'openai:small', OPENAI_API_KEY: 'k' }).embedding).toEqual({
      model: 'small',
      baseUrl: null,
      apiKey: 'k',
      dimensions: null,
      least: 0.3,
    });
    const own = 'openai:bge-m3:567m?url=http://127.0.0.1:11434/v1&dimensions=1024&least=0.5';
    expect(readConfig({ EMBEDDING_MODEL: own, OPENAI_API_KEY: 'k' }).embedding).toEqual({
      model: 'bge-m3:567m',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKey: null,
      dimensions: 1024,
      least: 0.5,
    });
  });

  test.for([
    ['bge-m3', /^EMBEDDING_MODEL: must have the form openai:model$/],
    ['google:x', /^EMBEDDING_MODEL: must have the form openai:model$/],
    ['openai:x', /^EMBEDDING_MODEL: needs its key in OPENAI_API_KEY$/],
    ['openai:x?url=http://h&key=SOME_KEY', /^EMBEDDING_MODEL: needs its key in SOME_KEY$/],
    [
      'openai:x?url=secret&dimensions=5000',
      /^EMBEDDING_MODEL: has options .* wrong: url, dimensions; it takes url, key/,
    ],
  ] as const)('that is wrong is named, without its value: %s', ([EMBEDDING_MODEL, message]) => {
    expect(() => readConfig({ EMBEDDING_MODEL })).toThrow(ConfigError);
    expect(() => readConfig({ EMBEDDING_MODEL })).toThrow(message);
    expect(() => readConfig({ EMBEDDING_MODEL })).not.toThrow(/secret/);
  });
});

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
    [{ TRUSTED_PROXIES: 'proxy.internal' }, /^TRUSTED_PROXIES: must be addresses or networks such as 10\.0\.0\.0\/8/],
    [{ TRUSTED_PROXIES: '10.0.0.0/8, 10/8' }, /^TRUSTED_PROXIES: /],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /^TRUSTED_PROXIES: /],
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
    [
      { MODEL_BASE_URL: 'https://me:secret@model.example', MODEL_NAME: 'm' },
      'MODEL_BASE_URL: must not contain a user name or password',
    ],
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

describe('models', () => {
  const MODELS = `smart=anthropic:claude-sonnet-4-5?input=3&output=15&cached=0.3, fast=google:gemini-2.5-flash
    local=openai:llama3.1:8b?url=http://127.0.0.1:11434/v1&context=8192`;
  const keys = { ANTHROPIC_API_KEY: 'key-a', GOOGLE_API_KEY: 'key-g', OPENAI_API_KEY: 'key-o' };

  test('are named in a list, each with its provider, key, window and prices', () => {
    const { models } = readConfig({ MODELS, ...keys });
    expect(models.default).toBe('smart');
    expect(models.list).toEqual([
      {
        name: 'smart',
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        baseUrl: null,
        apiKey: 'key-a',
        contextTokens: null,
        price: { input: 3, output: 15, cached: 0.3 },
        images: true,
        audio: false,
      },
      expect.objectContaining({ name: 'fast', provider: 'google', apiKey: 'key-g', price: null, audio: true }),
      // OpenAI's key goes to no other server.
      expect.objectContaining({
        name: 'local',
        model: 'llama3.1:8b',
        baseUrl: 'http://127.0.0.1:11434/v1',
        apiKey: null,
        contextTokens: 8192,
      }),
    ]);
  });

  test('take images and recordings as it is said, or else as most of their provider do', () => {
    const one = { MODEL_BASE_URL: 'http://localhost:1/v1', MODEL_NAME: 'm' };
    const readOf = (env: object) => readConfig({ ...keys, ...env }).models.list[0];
    expect(readOf(one)).toMatchObject({ images: true, audio: false });
    expect(readOf({ ...one, MODEL_IMAGES: 'no', MODEL_AUDIO: 'yes' })).toMatchObject({ images: false, audio: true });
    expect(readOf({ MODELS: 'm=google:m?images=no&audio=off' })).toMatchObject({ images: false, audio: false });
    expect(() => readOf({ MODELS: 'm=google:m?audio=loud' })).toThrow(/^MODELS: item 1 has options that are .*: audio/);
  });

  test('stand beside the one of MODEL_BASE_URL, which is the default unless another one is named', () => {
    const env = { MODELS, ...keys, MODEL_BASE_URL: 'http://localhost:1/v1', MODEL_NAME: 'old' };
    expect(readConfig(env).models).toMatchObject({ default: 'old', list: [{ name: 'old' }, {}, {}, {}] });
    expect(readConfig({ ...env, MODEL_DEFAULT: 'fast' }).models.default).toBe('fast');
    expect(readConfig({ ...env, MODEL_DEFAULT: 'embedded' }).models.default).toBe('embedded');
    expect(readConfig({}).models).toEqual({ default: 'embedded', list: [] });
  });

  test.for([
    ['smart', /^MODELS: item 1 must have the form name=provider:model/],
    ['a=openai:x?url=http://h, b=mistral:x', /item 2 must have .* openai, anthropic, google/],
    ['a=openai:x?url=secret&contxt=5', /item 1 has options that are unknown or wrong: url, contxt; it takes url, key/],
    ['a=openai:x?url=http://h&input=1', /both prices/],
    ['a=anthropic:x', /item 1 needs its key in ANTHROPIC_API_KEY/],
    ['a=openai:x?url=http://h&key=GROQ_KEY', /item 1 needs its key in GROQ_KEY/],
    ['a=openai:x?url=http://h, a=openai:y?url=http://h', /item 2 has a name that another model has/],
    ['embedded=openai:x?url=http://h', /name that another model has/],
  ] as const)('that are wrong are named, without their values: %s', ([MODELS, message]) => {
    expect(() => readConfig({ MODELS })).toThrow(ConfigError);
    expect(() => readConfig({ MODELS })).toThrow(message);
    expect(() => readConfig({ MODELS })).not.toThrow(/secret/);
  });

  test('a default that nobody knows is answered with the names', () => {
    expect(() => readConfig({ MODELS, ...keys, MODEL_DEFAULT: 'smrt' })).toThrow(
      'MODEL_DEFAULT: must be the name of a model, one of: smart, fast, local, embedded',
    );
  });
});

describe('a variable that may be a slip of a setting', () => {
  const meantBy = (env: Record<string, string>) =>
    misspelledNames(env, settingNames).map(({ suggestion }) => suggestion);

  test('is told for every setting: a letter that is left out, doubled, swapped or in lower case', () => {
    for (const name of settingNames.filter(({ length }) => length >= 8)) {
      for (let at = 0; at < name.length; at++) {
        const slips = [
          name.slice(0, at) + name.slice(at + 1),
          name.slice(0, at) + name[at] + name.slice(at),
          name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2),
          name.slice(0, at) + name.slice(at).toLowerCase(),
        ].filter((slip) => !settingNames.includes(slip));
        for (const slip of slips) expect(meantBy({ [slip]: 'x' }), slip).toHaveLength(1);
      }
    }
    expect(meantBy({ DATABSE_URL: 'x', PROT: '1', DATABASE_URI: 'x' })).toEqual([
      'DATABASE_URL',
      'PORT',
      'DATABASE_URL',
    ]);
  });

  test('is not told where the setting is given too, nor of what other programs and shells use', () => {
    expect(meantBy({ PUBLIC_URL: 'x', PUBLIC_URLS: 'x' })).toEqual([]);
    const usual =
      'HOME HOSTNAME HOSTTYPE LANG LANGUAGE LC_ALL LOGNAME MODEL OLDPWD PATH PGDATA PGHOST PGPORT PWD SHELL SHLVL TERM TMPDIR USER ' +
      'XDG_DATA_DIRS XDG_DATA_HOME CI DEBUG EDITOR NODE_ENV NODE_OPTIONS NO_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY MAIL NAME NODE ' +
      'AWS_PROFILE AWS_DEFAULT_REGION OPENAI_BASE_URL OPENAI_ORG_ID KUBERNETES_PORT KUBERNETES_SERVICE_HOST npm_config_cache PORTS';
    expect(meantBy(Object.fromEntries(usual.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });

  test('is held against every setting of its page, which names them all', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const names = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[A-Z][A-Z_]+/g) ?? []);
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
    const keysOfModels = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY'];
    expect(settingNames.filter((name) => ![...names, ...keysOfModels].includes(name))).toEqual([]);
  });
});

test('a standby needs a PostgreSQL server, and a postgres:// URL', () => {
  const url = 'postgres://standby/parley';
  expect(readConfig({ DATABASE_URL: 'postgres://primary/parley', DATABASE_READ_URL: url }).databaseReadUrl).toBe(url);
  expect(readConfig({}).databaseReadUrl).toBe(null);
  expect(() => readConfig({ DATABASE_READ_URL: url })).toThrow(/^DATABASE_READ_URL: needs .*DATABASE_URL/);
  expect(() => readConfig({ DATABASE_URL: url, DATABASE_READ_URL: 'https://x' })).toThrow('DATABASE_READ_URL: must be');
});

test('a former name of a setting is read where the present one is not set', () => {
  expect(readConfig({ LANE: 'off' }).compiledQueries).toBe(false);
  expect(readConfig({ LANE: 'off', COMPILED_QUERIES: 'on' }).compiledQueries).toBe(true);
  expect(() => readConfig({ LANE: 'maybe' })).toThrow(/^COMPILED_QUERIES: /);
});

describe('.env.example', () => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const lines = Array.from(
    example.matchAll(/^# ([A-Z_]+)=(.*)$/gm),
    ([, name = '', value = '']) => [name, value] as const,
  );

  test('names every setting once', () => {
    expect(lines.map(([name]) => name).sort()).toEqual([...settingNames].sort());
  });

  test('shows the defaults: set to what it says, everything is as without it', () => {
    expect(readConfig(Object.fromEntries(lines))).toEqual(readConfig({}));
  });
});
