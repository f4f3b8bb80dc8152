import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { ExtractFailure } from '../src/knowledge/extract/failure.ts';
import type { Content } from '../src/knowledge/extract/read.ts';
import { createTaskRunner } from '../src/knowledge/worker.ts';

const content = (text: string, kind: Content['kind'] = 'text'): Content => ({
  bytes: new TextEncoder().encode(text),
  contentType: '',
  url: null,
  kind,
});
const file = (bytes: Uint8Array): Content => ({ bytes, contentType: '', url: null, kind: null });
/** A thread in which some words are read without end, so that no machine is too fast for it. */
const main = new URL('support/endless-reader.ts', import.meta.url);

describe('a thread that reads', () => {
  test('reads one thing after another', async () => {
    const run = createTaskRunner();
    const read = await Promise.all(['One.', 'Two.', 'Three.'].map((text) => run('content', content(text))));
    expect(read.map(({ sections }) => sections[0]?.text)).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('stops reading what takes too long, and goes on with the next, while the gateway goes on all the time', async () => {
    const run = createTaskRunner({ timeoutMs: 600, main });
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    const hostile = run('content', content('endless'));
    const next = createTaskRunner()('content', content('Next.'));
    await expect(hostile).rejects.toThrow(new ExtractFailure('It takes too long to read: split it'));
    clearInterval(turning);
    expect((await next).sections).toEqual([{ text: 'Next.' }]);
    expect(turns).toBeGreaterThan(5);
  });

  test('stops reading what takes too much of the heap', async () => {
    const run = createTaskRunner({ heapMb: 16 });
    const hostile = run('content', content('<p>a'.repeat(100_000), 'html'));
    const next = run('content', content('Next.'));
    await expect(hostile).rejects.toThrow(new ExtractFailure('It takes too much memory to read: split it'));
    expect((await next).sections).toEqual([{ text: 'Next.' }]);
  });

  test('stops reading what takes too much memory beside the heap', async () => {
    const run = createTaskRunner({ outsideMb: 8, main });
    const hostile = run('content', content('endless and large'));
    await expect(hostile).rejects.toThrow(new ExtractFailure('It takes too much memory to read: split it'));
  });

  test('refuses a file that would unpack to something huge, before it is unpacked', async () => {
    const bomb = zipSync({ 'word/document.xml': strToU8('<w:document/>') });
    // What the directory of the file says of the part, 24 bytes after its mark: the size once unpacked.
    const directory = Buffer.from(bomb.buffer).indexOf('PK\x01\x02');
    new DataView(bomb.buffer).setUint32(directory + 24, 600_000_000, true);
    await expect(createTaskRunner()('content', file(bomb))).rejects.toThrow(/too large once unpacked/);
  });

  test('is left alone by a signal that comes late, and ended by one that comes in time', async () => {
    const run = createTaskRunner({ main });
    const stop = new AbortController();
    const [hostile, waiting] = [run('content', content('endless'), stop), run('content', content('Waits.'), stop)];
    const next = run('content', content('Next.'));
    stop.abort(new Error('taken away'));
    await expect(hostile).rejects.toThrow('taken away');
    await expect(waiting).rejects.toThrow('taken away');
    expect((await next).sections).toEqual([{ text: 'Next.' }]);
    await expect(run('content', content('Late.'), stop)).rejects.toThrow('taken away');
  });
});
