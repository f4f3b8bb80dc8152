import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checksumOf } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { contentOf } from '../../src/database/copy/row-hash.ts';
import { openForCopy } from '../../src/database/copy/session.ts';
import { createStorage } from '../../src/storage/storage.ts';
import { contentsOf, newPlace, type Place, removePlaces, runCommand } from '../support/database/backups.ts';
import { ownerToken, startGateway } from '../support/gateway/gateway-process.ts';

const { kind } = inject('template');
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('of a backup')]);

type Client = {
  url: string;
  rest(method: string, path: string, body?: object): Promise<any>;
  graphql(query: string): Promise<any>;
};

async function withGateway<T>({ env }: Place, work: (client: Client) => Promise<T>): Promise<T> {
  const gateway = await startGateway(env);
  try {
    const headers = { authorization: `Bearer ${await ownerToken(env)}`, 'content-type': 'application/json' };
    const rest: Client['rest'] = async (method, route, body) => {
      const response = await fetch(gateway.url + route, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const graphql: Client['graphql'] = async (query) => {
      const { data, errors } = await rest('POST', '/graphql', { query });
      expect(errors).toBeUndefined();
      return data;
    };
    return await work({ url: gateway.url, rest, graphql });
  } finally {
    await gateway.kill('SIGTERM');
  }
}

/** What a person sees of the demo workspace: rows, ranked passages and messages, and the bytes of a file. */
async function view({ url, graphql }: Client, conversationId: string) {
  const found = await graphql(`{
    agents(first: 50) { totalCount nodes { id name } }
    conversations(first: 1) { totalCount }
    leads(first: 50) { totalCount nodes { id name email } }
    sources(first: 50) { nodes { id status } }
    searchPassages(query: "When is the office open?", first: 5) { nodes { score passage { id text } } }
    ranked: conversations(search: "boots", first: 5) { nodes { id } }
    conversation(id: "${conversationId}") { messages { nodes { id content attachments } } }
  }`);
  const [shown] = found.conversation.messages.nodes.flatMap((node: any) => node.attachments ?? []);
  const { pathname, search } = new URL(shown.url);
  const file = Buffer.from(await (await fetch(new URL(pathname + search, url))).arrayBuffer());
  const text = JSON.stringify(found, (key, value) => (key === 'url' ? undefined : value));
  return { found: JSON.parse(text), file };
}

let source: Place;
let folder: string;
let conversationId: string;
let seen: Awaited<ReturnType<typeof view>>;
let output: Awaited<ReturnType<typeof runCommand>>;

beforeAll(async () => {
  source = await newPlace(kind);
  folder = path.join(source.dataDir, 'backup');
  await withGateway(source, async (client) => {
    const { agents } = await client.graphql('{ agents(first: 50) { nodes { id status } } }');
    const agentId = agents.nodes.find(({ status }: { status: string }) => status === 'active').id;
    // With no model to read it, an attachment is accepted.
    await client.graphql(`mutation { pauseAgent(input: {id: "${agentId}"}) { agent { id } } }`);
    const image = { type: 'image', name: 'a.png', data: png.toString('base64') };
    const message = { content: 'Where are my boots?', attachments: [image] };
    const answer = await client.rest('POST', `/api/${agentId}`, { message });
    conversationId = answer.id;
    seen = await view(client, conversationId);
    output = await runCommand('backup', source, '--to', folder);
  });
}, 300_000);
afterAll(removePlaces);

const manifest = () => JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
/** The text of an altered manifest, with the checksum of what it says. */
const sealed = (content: object) => JSON.stringify({ ...content, checksum: checksumOf({ ...content }) });

/** A place with the encryption key of the backup's gateway. */
async function placeWithKey(of: typeof kind): Promise<Place> {
  const place = await newPlace(of);
  copyFileSync(path.join(source.dataDir, 'encryption.key'), path.join(place.dataDir, 'encryption.key'));
  return place;
}

describe('npm run backup', () => {
  test('backs up while the gateway runs, and says where the key is, which it leaves out', () => {
    expect(output).toMatchObject({ code: 0, stderr: '' });
    expect(output.stdout).toContain(`The encryption key is not in the backup`);
    expect(output.stdout).toContain(path.join(source.dataDir, 'encryption.key'));
    if (kind === 'embedded') expect(output.stdout).toMatch(/paused for at most \d+ ms/);
    const [, key = ''] = /:(\S+)\n$/.exec(readFileSync(path.join(source.dataDir, 'encryption.key'), 'utf8')) ?? [];
    expect(key).toHaveLength(44);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) expect(readFileSync(path.join(entry.parentPath, entry.name)).includes(key)).toBe(false);
    }
    expect(readdirSync(folder).sort()).toEqual(['files', 'manifest.json', 'tables']);
  });

  test('overwrites neither a backup nor anything else', async () => {
    const before = manifest();
    expect(await runCommand('backup', source, '--to', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has a backup, which is not overwritten'),
    });
    expect(await runCommand('backup', source, '--to', source.dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    });
    expect(manifest()).toEqual(before);
  });

  test('writes tables that any PostgreSQL can read with COPY', () => {
    const agent = manifest().tables.find(({ name }: { name: string }) => name === 'Agent');
    const lines = gunzipSync(readFileSync(path.join(folder, 'tables/Agent.copy.gz')))
      .toString()
      .split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(agent.rows);
    for (const line of lines) expect(line.split('\t')).toHaveLength(agent.columns.length);
  });
});

describe('npm run restore', () => {
  test.each(kind === 'postgres' ? (['postgres', 'embedded'] as const) : (['embedded'] as const))(
    'restores rows, files, search and numbering into an empty database (%s), which then serves',
    async (to) => {
      const place = await placeWithKey(to);
      const restored = await runCommand('restore', place, '--from', folder);
      expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/Restored and verified \d+ rows/) });
      const { tables, sequences } = manifest();
      const found = await contentsOf(place);
      expect(found.tables).toEqual(
        Object.fromEntries(tables.map(({ name, rows, hash }: any) => [name, { rows, hash }])),
      );
      expect(found.sequences).toEqual(sequences);
      expect(found.foreignKeys).toBeGreaterThan(50);
      expect(found.triggers).toBeGreaterThan(20);
      await withGateway(place, async (client) => {
        const again = await view(client, conversationId);
        expect(again.found).toEqual(seen.found);
        expect(again.found.searchPassages.nodes).not.toEqual([]);
        expect(again.found.ranked.nodes).not.toEqual([]);
        expect(again.file).toEqual(png);
        expect(seen.file).toEqual(png);
        const { createAgent } = await client.graphql('mutation { createAgent(input: {name: "New"}) { agent { id } } }');
        expect(createAgent.agent.id).toMatch(/^agt_/);
      });
      expect(await runCommand('restore', place, '--from', folder)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/The database has data .* not overwritten/),
      });
    },
    300_000,
  );

  test('takes no interrupted backup for a whole one', async () => {
    const place = await newPlace('embedded');
    const partial = path.join(place.dataDir, 'partial');
    mkdirSync(path.join(partial, 'tables'), { recursive: true });
    expect(await runCommand('restore', place, '--from', partial)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not a complete backup'),
    });
    expect(existsSync(path.join(place.dataDir, 'postgres'))).toBe(false);
  });

  test('finds a damaged table; no gateway starts on the rest, and the repaired backup completes it', async () => {
    const place = await placeWithKey(kind);
    const file = path.join(folder, 'tables/Message.copy.gz');
    const whole = readFileSync(file);
    const rows = gunzipSync(whole).toString().split('\n');
    writeFileSync(file, gzipSync([...rows.slice(0, 3), ...rows.slice(4)].join('\n')));
    expect(await runCommand('restore', place, '--from', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/"Message" has \d+ rows, not the \d+ expected ones/),
    });
    expect(await runCommand('token', place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This database is being restored'),
    });
    await expect(startGateway(place.env, { errors: 'ignore' })).rejects.toThrow('did not start');
    writeFileSync(file, whole);
    const resumed = await runCommand('restore', place, '--from', folder);
    expect(resumed.code).toBe(0);
    // Tables that were complete are not loaded again.
    expect(resumed.stderr).not.toContain('Copying Agent\n');
    expect(resumed.stderr).toContain('Copying Message\n');
    expect((await contentsOf(place)).tables.Message?.rows).toBe(rows.length - 1);
  }, 300_000);

  test('stores no file outside of the storage, whatever rows an altered backup has', async () => {
    const place = await placeWithKey(kind);
    const names = ['manifest.json', 'tables/StoredFile.copy.gz', 'tables/MessageFile.copy.gz'];
    const whole = names.map((name) => readFileSync(path.join(folder, name)));
    const content = manifest();
    for (const name of ['StoredFile', 'MessageFile']) {
      const file = path.join(folder, `tables/${name}.copy.gz`);
      const rows = Buffer.from(
        gunzipSync(readFileSync(file))
          .toString()
          .replaceAll(/fil_[0-9a-z]{26}/g, '../../outside'),
      );
      writeFileSync(file, gzipSync(rows));
      Object.assign(
        content.tables.find((table: { name: string }) => table.name === name),
        await contentOf(
          (async function* () {
            yield rows;
          })(),
        ),
      );
    }
    writeFileSync(path.join(folder, 'manifest.json'), sealed(content));
    expect(await runCommand('restore', place, '--from', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/"wsp_\w+\/\.\.\/\.\.\/outside" is not the key of a stored file/),
    });
    expect(existsSync(path.join(place.dataDir, 'outside'))).toBe(false);
    for (const [index, name] of names.entries()) writeFileSync(path.join(folder, name), whole[index] as Buffer);
  }, 300_000);

  test('finds whatever its manifest says otherwise than its tables or this version, and is completed by the whole one', async () => {
    const place = await placeWithKey('embedded');
    const storage = createStorage({ kind: 'folder', folder: path.join(place.dataDir, 'files') });
    const file = path.join(folder, 'manifest.json');
    const whole = readFileSync(file, 'utf8');
    const { tables, sequences, migrations } = manifest();
    const agents = tables.find(({ name }: { name: string }) => name === 'Agent');
    const others = tables.filter((table: unknown) => table !== agents);
    const restore = async (changes: object) => {
      writeFileSync(file, sealed({ ...JSON.parse(whole), ...changes }));
      const target = await openForCopy({ databaseUrl: null, dataDir: place.dataDir });
      const restoring = restoreBackup({ folder, target, storage, onStep: () => {} });
      const error = await restoring.then(() => null).catch((failure: Error) => failure.message);
      await target.close();
      writeFileSync(file, whole);
      return error;
    };
    const altered: [object, RegExp][] = [
      [{ tables: others }, /lacks the table "Agent"/],
      [{ tables: [...others, { ...agents, name: 'Agents' }] }, /has "Agents"\."id", which the migrations do not create/],
      [{ tables: [...others, { ...agents, columns: ['ids'] }] }, /has "Agent"\."ids", which the migrations do not create/],
      [{ tables: [...others, { ...agents, rows: agents.rows + 1 }] }, /"Agent" has \d+ rows, not the \d+ expected/],
      [{ tables: [...others, { ...agents, hash: 'x' }] }, /"Agent" has \d+ rows, .* or their content differs/],
      [{ sequences: sequences.slice(1) }, /lacks the sequence "MessageSegment_number_seq"/],
      [{ sequences: [] }, /lacks the sequence/],
      [{ migrations: [...migrations, { name: '2999_new', checksum: '' }] }, /2999_new, which this version lacks/],
    ]; // biome-ignore format: a table
    for (const [changes, message] of altered) expect.soft(await restore(changes)).toMatch(message);
    expect(await restore({})).toBeNull();
    expect((await contentsOf(place)).sequences).toEqual(sequences);
  }, 300_000);

  test.skipIf(kind === 'postgres')(
    'needs neither a key file, whose place it names, nor the checksum that older manifests lack, which it says',
    async () => {
      const place = await newPlace('embedded');
      const file = path.join(folder, 'manifest.json');
      const whole = readFileSync(file);
      const { checksum, ...older } = manifest();
      expect(checksum).toHaveLength(64);
      writeFileSync(file, JSON.stringify(older));
      const { code, stdout, stderr } = await runCommand('restore', place, '--from', folder);
      writeFileSync(file, whole);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: .* no checksum/) });
      expect(stdout).toContain(`copy it to ${path.join(place.dataDir, 'encryption.key')}`);
      rmSync(place.dataDir, { recursive: true });
    },
  );
});
