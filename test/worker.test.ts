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
/** A workbook whose one sheet has many cells: little when packed, a lot on the heap. */
const manyCells = (rows: number): Uint8Array => {
  const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const row = (at: number) =>
    `<row>${'ABCDEFGHIJ'
      .split('')
      .map((c) => `<c r="${c}${at}"><v>${at}.5</v></c>`)
      .join('')}</row>`;
  const cells = Array.from({ length: rows }, (_, index) => row(index + 1)).join('');
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook xmlns:r="${namespace}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="rId1" Type="${namespace}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(`<worksheet><sheetData>${cells}</sheetData></worksheet>`),
  });
};
/** Takes about as many seconds as it is told to. */
const slow = () => content(`${'<div>'.repeat(140)}some words${'</div>'.repeat(140)}`.repeat(300), 'html');

describe('a thread that reads', () => {
  test('reads one thing after another', async () => {
    const run = createTaskRunner();
    const read = await Promise.all(['One.', 'Two.', 'Three.'].map((text) => run('content', content(text))));
    expect(read.map(({ sections }) => sections[0]?.text)).toEqual(['One.', 'Two.', 'Three.']);
  });

  test('stops reading what takes too long, and goes on with the next, while the gateway goes on all the time', async () => {
    const run = createTaskRunner({ timeoutMs: 600 });
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    const hostile = run('content', slow());
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
    const run = createTaskRunner({ outsideMb: 8 });
    const hostile = run('content', file(manyCells(12_000)));
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
    const run = createTaskRunner();
    const stop = new AbortController();
    const [hostile, waiting] = [run('content', slow(), stop), run('content', content('Waits.'), stop)];
    const next = run('content', content('Next.'));
    stop.abort(new Error('taken away'));
    await expect(hostile).rejects.toThrow('taken away');
    await expect(waiting).rejects.toThrow('taken away');
    expect((await next).sections).toEqual([{ text: 'Next.' }]);
    await expect(run('content', content('Late.'), stop)).rejects.toThrow('taken away');
  });
});
