import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/database/client.ts';
import { reasonOf } from '../../src/database/pglite/embedded-folder.ts';
import { lockFolder, UnwritableFolderError } from '../../src/database/pglite/folder-lock.ts';
import { fillDataFolder } from '../support/database/data-folder.ts';

let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-data-'));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await rm(dataDir, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
const open = () => openDatabase({ databaseUrl: null, dataDir });

/** A process that runs `script`, with the lines that it prints. */
function start(script: string): { child: ChildProcess; lines: AsyncIterableIterator<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
  });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

test('a second process is refused, and told which folder, who has it and what to do', async () => {
  const { child, lines } = start(`
    import { lockFolder } from ${source('database/pglite/folder-lock.ts')};
    // A variable that goes out of scope may be garbage-collected, and the lock with it.
    globalThis.lock = lockFolder(${JSON.stringify(dataDir)});
    console.log('locked');
    setInterval(() => {}, 1000);
  `);
  await lines.next();
  const refusal = await open().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name: 'FolderInUseError' });
  expect(String(refusal)).toContain(dataDir);
  expect(String(refusal)).toContain(`the process ${child.pid}`);
  expect(String(refusal)).toContain('DATA_DIR');
});

test.for([
  [{ name: 'ErrnoError', errno: 51 }, 'no space is left on its disk'],
  [{ name: 'ErrnoError', errno: 99 }, 'error 99 of the file system'],
  [new Error('it is not what it was'), 'it is not what it was'],
] as const)('why a database cannot be opened is said in words: %j', ([failure, words]) => {
  expect(reasonOf(failure)).toBe(words);
});

test('a folder that cannot be made is refused by the name of the setting', async () => {
  const file = join(dataDir, 'file');
  await writeFile(file, '');
  for (const folder of [file, join(file, 'below')]) {
    expect(() => lockFolder(folder)).toThrow(UnwritableFolderError);
    expect(() => lockFolder(folder)).toThrow(`DATA_DIR: ${folder} cannot be used`);
  }
});

test('a folder is not opened twice in one process', () => {
  const lock = lockFolder(dataDir);
  expect(() => lockFolder(dataDir)).toThrow('in use');
  lock.release();
  lockFolder(dataDir).release();
});

test('kill -9 loses no acknowledged write and frees the folder at once', async () => {
  fillDataFolder(dataDir);
  const { child, lines } = start(`
    import { openDatabase } from ${source('database/client.ts')};
    const handle = await openDatabase({ databaseUrl: null, dataDir: ${JSON.stringify(dataDir)} });
    for (let i = 0; ; i++) {
      await handle.client.workspace.create({ data: { id: 'w' + i, name: 'x'.repeat(1000) } });
      console.log('w' + i);
    }
  `);
  let last = '';
  for await (const line of lines) {
    last = line;
    if (line === 'w100') child.kill('SIGKILL');
  }
  const handle = await open();
  const stored = await handle.client.workspace.count();
  await handle.close();
  expect(stored).toBeGreaterThanOrEqual(Number(last.slice(1)) + 1);
});

test.each([undefined, 'empty'] as const)(
  'a first start that was cut short is begun anew, template: %s',
  async (template) => {
    const { child, lines } = start(`
    import { openDatabase } from ${source('database/client.ts')};
    console.log('opening');
    await openDatabase({ databaseUrl: null, dataDir: ${JSON.stringify(dataDir)}, template: ${JSON.stringify(template)} });
  `);
    await lines.next();
    while (!(await readdir(join(dataDir, 'postgres')).catch((): string[] => [])).includes('PG_VERSION')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await kill(child);
    const handle = await openDatabase({ databaseUrl: null, dataDir, template });
    const { rows } = await handle.pool.query(
      "SELECT count(*) > 0 AS tables FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(rows).toEqual([{ tables: template === 'empty' }]);
    await handle.close();
  },
);

test('a folder that PGlite cannot open is refused with its name, and left as it is', async () => {
  fillDataFolder(dataDir);
  const version = join(dataDir, 'postgres', 'PG_VERSION');
  await writeFile(version, '99\n');
  await expect(open()).rejects.toThrow(
    `${dataDir}/postgres cannot be opened, and was left as it is: database files are incompatible`,
  );
  expect(await readFile(version, 'utf8')).toBe('99\n');
});
