import { createHash, randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createStorage } from '../../src/storage/storage.ts';
import type { Storage } from '../../src/storage/types.ts';
import { fillDisk } from '../support/attachments/full-disk.ts';
import { s3Keys, startS3Server } from '../support/attachments/s3-server.ts';

let folder: string;
let server: Awaited<ReturnType<typeof startS3Server>>;
const places: Record<string, Storage> = {};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-storage-'));
  server = await startS3Server();
  places.folder = createStorage(readConfig({ DATA_DIR: folder }).storage);
  places.bucket = createStorage(readConfig(server.env).storage);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

type Lookup = (error: Error | null, addresses?: object[]) => void;

const keyOf = (workspace: string, file: string) => `wsp_${workspace.padStart(26, '0')}/fil_${file.padStart(26, '0')}`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const put = async (place: Storage | undefined, key: string, bytes: Uint8Array) => place?.put(key, bytes, sha256(bytes));
const textOf = async (stream: Promise<ReadableStream<Uint8Array> | null> | undefined) =>
  new Response((await stream) ?? 'nothing').text();

describe.each(['folder', 'bucket'])('a %s', (name) => {
  test('gives back what it was given, whole or in part, until it is deleted', async () => {
    const place = places[name];
    const bytes = randomBytes(300_000);
    await put(place, keyOf('1', '1'), bytes);
    expect(Buffer.compare((await place?.get(keyOf('1', '1'))) ?? Buffer.alloc(0), bytes)).toBe(0);
    await put(place, keyOf('1', '1'), Buffer.from('the same name again'));
    expect(await textOf(place?.open(keyOf('1', '1')))).toBe('the same name again');
    expect(await textOf(place?.open(keyOf('1', '1'), { start: 4, end: 7 }))).toBe('same');
    await place?.delete(keyOf('1', '1'));
    await place?.delete(keyOf('1', '1'));
    expect(await place?.get(keyOf('1', '1'))).toBeNull();
    expect(await place?.open(keyOf('1', '1'), { start: 0, end: 1 })).toBeNull();
  });

  test('keeps objects of many writers at once apart, and the last of one name whole', async () => {
    const place = places[name];
    const writes = Array.from({ length: 24 }, (_, index) => ({
      key: keyOf(`${index % 4}`, `${index % 8}`),
      bytes: Buffer.alloc(20_000 + index, index),
    }));
    await Promise.all(writes.map(({ key, bytes }) => put(place, key, bytes)));
    for (const key of new Set(writes.map((write) => write.key))) {
      const found = (await place?.get(key)) ?? Buffer.alloc(0);
      expect(writes.some((write) => write.key === key && Buffer.compare(write.bytes, found) === 0)).toBe(true);
    }
  });
});

/** What a row of an altered backup may name: parts that lead elsewhere, beside ids, in any order. */
const notKeys = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '..',
        '.',
        '',
        '/',
        '\\',
        '%2e%2e',
        '%2F',
        '\0',
        '?',
        '#',
        'C:',
        'drafts',
        ...keyOf('1', '1').split('/'),
      ),
      {
        maxLength: 6,
      },
    )
    .chain((parts) => fc.constantFrom('/', '').map((separator) => parts.join(separator)))
    .filter((key) => key !== keyOf('1', '1')),
  fc
    .tuple(fc.nat({ max: 60 }), fc.constantFrom('/', '.', '..', '../', ' ', 'A', '\n'))
    .map(([at, added]) => keyOf('1', '1').slice(0, at) + added + keyOf('1', '1').slice(at)),
);

test.each(['folder', 'bucket'])('no other key leads anywhere in a %s or out of it', async (name) => {
  const place = places[name] as Storage;
  const bytes = Buffer.from('x');
  await writeFile(path.join(folder, 'secret'), 'secret');
  const filesNow = async () => (await readdir(folder, { recursive: true })).sort();
  const [files, requests] = [await filesNow(), server.requests.length];
  const hostile = [
    ...fc.sample(notKeys, 300),
    '../secret',
    '../../secret',
    'wsp_1/../../secret',
    `${keyOf('1', '1')}\n`,
  ];
  for (const key of hostile) {
    await expect(put(place, key, bytes)).rejects.toThrow('is not the key of a stored file');
    expect([key, await place.get(key), await place.open(key)]).toEqual([key, null, null]);
    await place.delete(key);
  }
  expect(await filesNow()).toEqual(files);
  expect(server.requests).toHaveLength(requests);
});

describe('a folder', () => {
  test('shows nothing that is half written, and takes away drafts of writers that died', async () => {
    const drafts = path.join(folder, 'files', 'drafts');
    await put(places.folder, keyOf('1', '2'), Buffer.from('x'));
    await writeFile(path.join(drafts, 'old'), 'hal');
    await writeFile(path.join(drafts, 'new'), 'hal');
    const yesterday = new Date(Date.now() - 86_400_000);
    await utimes(path.join(drafts, 'old'), yesterday, yesterday);
    await places.folder?.cleanUp();
    expect(await readdir(drafts)).toEqual(['new']);
  });

  test('on a full disk keeps none of the space that it could write to, nor the file', async () => {
    const filesNow = async () => (await readdir(folder, { recursive: true })).sort();
    await put(places.folder, keyOf('1', '7'), Buffer.from('before'));
    const before = await filesNow();
    await fillDisk();
    for (const file of ['7', '8']) {
      const writing = put(places.folder, keyOf('1', file), Buffer.from('more'));
      await expect(writing).rejects.toMatchObject({ code: 'unavailable', originalError: { code: 'ENOSPC' } });
    }
    expect(await filesNow()).toEqual(before);
    expect(await textOf(places.folder?.open(keyOf('1', '7')))).toBe('before');
  });

  test('that cannot be written to is 503, without saying where it is', async () => {
    const file = path.join(folder, 'in-the-way');
    await writeFile(file, '');
    const place = createStorage({ kind: 'folder', folder: file });
    const failure = await place.put(keyOf('1', '1'), Buffer.from('x'), '').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining(folder) });
  });
});

describe('a bucket', () => {
  test('that the endpoint knows by a host name is asked there, signed for that name', async () => {
    const found = vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: unknown, done: Lookup) => {
      if (name !== 'parley-files.objects.test') return done(new Error(`${name} is not known`));
      done(null, [{ address: '127.0.0.1', family: 4 }]);
      return options;
    }) as never);
    onTestFinished(() => found.mockRestore());
    const url = server.env.STORAGE_URL.replace('127.0.0.1', 'objects.test');
    const place = createStorage(readConfig({ ...server.env, STORAGE_URL: `${url}&addressing=virtual` }).storage);
    await put(place, keyOf('1', '6'), Buffer.from('by its host'));
    expect(await textOf(place.open(keyOf('1', '6')))).toBe('by its host');
    expect(await textOf(places.bucket?.open(keyOf('1', '6')))).toBe('by its host');
    expect(server.requests).toContain(`PUT parley-files.objects.test /some/place/${keyOf('1', '6')}`);
  });

  test.each([
    ['endpoint=https://127.0.0.1:9000&addressing=virtual', /an endpoint with a name/],
    ['addressing=dns', /takes the options endpoint .* region and addressing \(path or virtual\)/],
  ])('is not addressed by %s', (options, told) => {
    const settings = { ...server.env, STORAGE_URL: `s3://parley-files?${options}` };
    expect(() => readConfig(settings)).toThrow(told);
  });

  test('has the objects below the prefix of the address', async () => {
    await put(places.bucket, keyOf('1', '3'), Buffer.from('x'));
    expect([...server.objects.keys()]).toContain(`some/place/${keyOf('1', '3')}`);
  });

  test('that answers 5xx is asked again, and is 503 when it goes on', async () => {
    server.failures.push(503, 500);
    await put(places.bucket, keyOf('1', '4'), Buffer.from('after two failures'));
    expect(await textOf(places.bucket?.open(keyOf('1', '4')))).toBe('after two failures');
    server.failures.push(503, 503, 503);
    await expect(places.bucket?.get(keyOf('1', '4'))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is no place for bytes that were changed on their way', async () => {
    const wrong = places.bucket?.put(keyOf('9', '5'), Buffer.from('x'), sha256(Buffer.from('y')));
    await expect(wrong).rejects.toMatchObject({ code: 'unavailable' });
    expect(await places.bucket?.get(keyOf('9', '5'))).toBeNull();
  });

  test.each([
    ['another key', { AWS_SECRET_ACCESS_KEY: 'wrong' }, ''],
    ['a bucket that is not there', {}, 'parley-files'],
  ])('with %s is 503, not an object that is missing', async (_, env, replaced) => {
    const settings = { ...server.env, ...env };
    if (replaced) settings.STORAGE_URL = settings.STORAGE_URL.replace(replaced, 'other-files');
    const failure = await createStorage(readConfig(settings).storage)
      .get(keyOf('1', '1'))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining(s3Keys.accessKeyId) });
  });
});

test('a bucket whose keys may not list it says what is wrong, since a missing object is refused then', async () => {
  server.rights.list = false;
  const failure = await places.bucket?.get(keyOf('1', 'n0ne')).catch((error: unknown) => error);
  server.rights.list = true;
  expect(failure).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^The attachment storage denies access/),
    originalError: {
      message: expect.stringMatching(/^The bucket answered 403 AccessDenied: .*s3:GetObject.*s3:ListBucket/),
    },
  });
  expect(await places.bucket?.get(keyOf('1', 'n0ne'))).toBeNull();
});

describe('the settings of a storage', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'a-secret', AWS_SECRET_ACCESS_KEY: 'a-secret' };

  test.each([
    ['s3://files', 'virtual'],
    ['s3://files.example.com', 'path'],
    ['s3://files?addressing=path', 'path'],
    ['s3://files?endpoint=https://objects.example', 'path'],
    ['s3://files?endpoint=https://objects.example&addressing=virtual', 'virtual'],
  ])('of %s have the bucket in the %s', (url, addressing) => {
    expect(readConfig({ ...keys, STORAGE_URL: url }).storage).toMatchObject({ addressing });
  });

  test('are a folder of the data, unless a bucket is named', () => {
    expect(readConfig({ DATA_DIR: '/data' }).storage).toEqual({ kind: 'folder', folder: '/data/files' });
    expect(readConfig({ ...keys, STORAGE_URL: 's3://files', AWS_REGION: 'sa-east-1' }).storage).toMatchObject({
      kind: 's3',
      bucket: 'files',
      prefix: '',
      endpoint: null,
      region: 'sa-east-1',
      keys: { accessKeyId: 'a-secret', secretAccessKey: 'a-secret' },
    });
    const region = { ...keys, STORAGE_URL: 's3://files', AWS_DEFAULT_REGION: 'eu-west-3' };
    expect(readConfig(region).storage).toMatchObject({ region: 'eu-west-3' });
    expect(readConfig({ STORAGE_URL: 's3://files' }).storage).toMatchObject({ region: 'us-east-1', keys: null });
  });

  test.each([
    [{ STORAGE_URL: 'https://files.example' }, /^STORAGE_URL: must have the form s3:/],
    [{ STORAGE_URL: 's3://Files_1' }, /^STORAGE_URL: must have the form s3:/],
    [{ STORAGE_URL: 's3://files/a$b' }, /^STORAGE_URL: must have the form s3:/],
    [{ STORAGE_URL: 's3://files?acl=public' }, /^STORAGE_URL: takes the options/],
    [{ STORAGE_URL: 's3://files?endpoint=ftp://x' }, /^STORAGE_URL: takes the options/],
    [{ STORAGE_URL: 's3://files', AWS_ACCESS_KEY_ID: '' }, /^AWS_ACCESS_KEY_ID: is required beside AWS_SECRET_/],
  ])('that are wrong are named: %j', (env, message) => {
    const read = () => readConfig({ ...keys, ...env });
    expect(read).toThrow(message);
    expect(read).not.toThrow(/a-secret/);
  });
});
