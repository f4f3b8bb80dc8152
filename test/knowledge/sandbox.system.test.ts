import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { contentTask } from '../../src/knowledge/extract/tasks.ts';
import type { Content } from '../../src/knowledge/extract/types.ts';
import { ExtractFailure } from '../../src/sandbox/extract-failure.ts';
import { createTaskRunner, type RunnerLimits, type TaskOptions } from '../../src/sandbox/task-runner.ts';
import { probeFolders, probeTask } from '../support/knowledge/probe-reader.ts';

const content = (text: string, kind: Content['kind'] = 'text'): Content => ({
  bytes: new TextEncoder().encode(text),
  contentType: '',
  url: null,
  kind,
});
/** A reader for several workspaces; `ask` runs a probe. */
function reader(limits: Partial<RunnerLimits> = {}) {
  const run = createTaskRunner({ folders: probeFolders, ...limits });
  const read = async (text: string, options: Partial<TaskOptions> = {}) =>
    (await run(probeTask, content(text), { workspaceId: 'wsp_a', ...options })).sections;
  const ask = async (probe: string, options: Partial<TaskOptions> = {}): Promise<unknown> =>
    JSON.parse((await read(`probe ${probe}${probe.includes(':') ? '' : ':'}`, options))[0]?.text ?? '');
  return { run, read, ask };
}
const next = [{ text: 'Next.' }];

describe('a process that reads', () => {
  test('reads one thing after another, and of a workspace alone', async () => {
    const { read, ask } = reader({ size: 1 });
    expect(await Promise.all(['One.', 'Two.', 'Three.'].map((text) => read(text)))).toEqual([
      [{ text: 'One.' }],
      [{ text: 'Two.' }],
      [{ text: 'Three.' }],
    ]);
    const pids = [await ask('pid'), await ask('pid'), await ask('pid', { workspaceId: 'wsp_b' })];
    expect(pids[1]).toBe(pids[0]);
    expect(pids[2]).not.toBe(pids[0]);
  });

  test('reads many bytes, and nobody else has them any more', async () => {
    const bytes = new TextEncoder().encode(`Words.\n\n${'x'.repeat(3_000_000)}`);
    const asked: Content = { bytes, contentType: '', url: null, kind: 'text' };
    const { sections } = await createTaskRunner()(contentTask, asked, { workspaceId: 'wsp_a' });
    expect(sections.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(3_000_000);
    expect(bytes.byteLength).toBe(0);
  });

  test('is ended when it takes too long, and the next thing is read, while the gateway goes on all the time', async () => {
    const { ask, read } = reader({ size: 1, timeoutMs: 3_000 });
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    const hostile = ask('endless');
    const after = read('Next.');
    await expect(hostile).rejects.toThrow(new ExtractFailure('It takes too long to read: split it'));
    clearInterval(turning);
    expect(await after).toEqual(next);
    expect(turns).toBeGreaterThan(5);
  });

  test('is ended when it takes too much of the heap', async () => {
    const { run, read } = reader({ heapMb: 16 });
    const hostile = run(probeTask, content('<p>a'.repeat(100_000), 'html'), { workspaceId: 'wsp_a' });
    const after = read('Next.', { workspaceId: 'wsp_b' });
    await expect(hostile).rejects.toThrow(new ExtractFailure('It takes too much memory to read: split it'));
    expect(await after).toEqual(next);
  });

  test('is ended when it takes too much memory beside the heap', async () => {
    const { ask, read } = reader({ memoryMb: 300 });
    await expect(ask('large')).rejects.toThrow(new ExtractFailure('It takes too much memory to read: split it'));
    expect(await read('Next.')).toEqual(next);
  });

  test.each(['abort', 'exit'])('that breaks off (%s) fails what it read and nothing else', async (how) => {
    const { ask, read } = reader({ size: 1 });
    const hostile = ask(how);
    const waiting = [read('Next.'), read('Next.', { workspaceId: 'wsp_b' })];
    await expect(hostile).rejects.toThrow(
      new ExtractFailure('It could not be read: reading it ended unexpectedly: try again, or save the file anew'),
    );
    expect(await Promise.all(waiting)).toEqual([next, next]);
  });

  test('that fails is not used again, and its fault is told as it is', async () => {
    const { ask } = reader({ size: 1 });
    const before = await ask('pid');
    await expect(ask('fault')).rejects.toThrow(/^a fault of the reader$/);
    expect(await ask('pid')).not.toBe(before);
  });

  test('refuses a file that would unpack to something huge, before it is unpacked', async () => {
    const bomb = zipSync({ 'word/document.xml': strToU8('<w:document/>') });
    // The uncompressed size in the central directory, 24 bytes after the signature.
    const directory = Buffer.from(bomb.buffer).indexOf('PK\x01\x02');
    new DataView(bomb.buffer).setUint32(directory + 24, 600_000_000, true);
    const asked = { bytes: bomb, contentType: '', url: null, kind: null };
    await expect(createTaskRunner()(contentTask, asked, { workspaceId: 'wsp_a' })).rejects.toThrow(
      /too large once unpacked/,
    );
  });

  test('is left alone by a signal that comes late, and ended by one that comes in time', async () => {
    const { ask, read } = reader({ size: 1 });
    const stop = new AbortController();
    const { signal } = stop;
    const [hostile, waiting] = [ask('endless', { signal }), read('Waits.', { signal })];
    const after = read('Next.');
    stop.abort(new Error('taken away'));
    await expect(hostile).rejects.toThrow('taken away');
    await expect(waiting).rejects.toThrow('taken away');
    expect(await after).toEqual(next);
    await expect(read('Late.', { signal })).rejects.toThrow('taken away');
  });
});

describe('while one workspace has much read, or something without end,', () => {
  /** Aborts the endless work of a test. */
  const withEndless = async (work: (signal: AbortSignal) => Promise<void>) => {
    const stop = new AbortController();
    await work(stop.signal);
    stop.abort(new Error('over'));
  };

  test('the next place is that of another one', async () => {
    // With a long slice, no task is interrupted.
    const { read } = reader({ size: 1, sliceMs: 120_000 });
    const ended: string[] = [];
    const asked = ['a1 a', 'a2 a', 'a3 a', 'b1 b', 'c1 c', 'b2 b'].map(async (text) => {
      await read(text, { workspaceId: `wsp_${text.at(-1)}` });
      ended.push(text.slice(0, 2));
    });
    await Promise.all(asked);
    expect(ended).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('another one does not wait for its end', async () => {
    const { ask, read } = reader({ size: 1, sliceMs: 50 });
    await withEndless(async (signal) => {
      const endless = [1, 2, 3].map(() => ask('endless', { signal }));
      expect(await read('Next.', { workspaceId: 'wsp_b' })).toEqual(next);
      void Promise.allSettled(endless);
    });
  });

  test('its own sources wait, and what somebody waits for does not', async () => {
    const { ask, read } = reader({ size: 1, sliceMs: 50 });
    await withEndless(async (signal) => {
      const endless = ask('endless', { signal });
      let isRead = false;
      const source = read('A source.', { signal }).then(() => (isRead = true));
      expect(await read('Next.', { isUrgent: true })).toEqual(next);
      expect(await read('Next.', { workspaceId: 'wsp_b' })).toEqual(next);
      expect(isRead).toBe(false);
      void Promise.allSettled([endless, source]);
    });
  });

  test('no more go on aside than may', async () => {
    const { ask, read } = reader({ size: 1, sliceMs: 20, aside: 1, timeoutMs: 3_000 });
    const endless = ['a', 'b'].map((name) => ask('endless', { workspaceId: `wsp_${name}` }));
    const last = read('Next.', { workspaceId: 'wsp_c' });
    const order: string[] = [];
    await Promise.allSettled([
      ...endless.map((end) => end.catch(() => order.push('ended'))),
      last.then(() => order.push('read')),
    ]);
    expect(order[0]).toBe('ended');
    expect(await last).toEqual(next);
  });
});

describe('a process that reads has no right', () => {
  test.each([
    ['read a file', fileURLToPath(new URL('../../vitest.config.ts', import.meta.url))],
    ['write a file', path.join(tmpdir(), 'parley-written-by-a-reader')],
    ['start a process', ''],
    ['open a socket', ''],
    ['look up a name', ''],
    ['ask a server', 'http://127.0.0.1:9/'],
  ])('to %s', async (probe, argument) => {
    await expect(reader().ask(`${probe}:${argument}`)).rejects.toThrow(/restricted|may not load|fetch is not defined/);
    if (probe === 'write a file') expect(existsSync(argument)).toBe(false);
  });

  test('to the secrets and the flags of the gateway', async () => {
    process.env.ENCRYPTION_KEYS_OF_TEST = 'secret';
    process.env.NODE_OPTIONS = '--max-old-space-size=4000';
    try {
      const { ask } = reader({ heapMb: 100 });
      const environment = (await ask('environment')) as Record<string, string>;
      expect(Object.keys(environment).filter((name) => !/^(TZ|MALLOC_\w+|NODE_CHANNEL_\w+|__\w+)$/.test(name))).toEqual(
        [],
      );
      expect(await ask('heapMb')).toBeLessThan(200);
    } finally {
      delete process.env.NODE_OPTIONS;
      delete process.env.ENCRYPTION_KEYS_OF_TEST;
    }
  });
});

test('a process that reads ends when the gateway is killed, though it is busy for ever', async () => {
  const script = fileURLToPath(new URL('../support/knowledge/crashing-gateway.ts', import.meta.url));
  const gateway = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(gateway.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(isAlive(pid)).toBe(true);
  gateway.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
