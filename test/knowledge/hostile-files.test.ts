import { deflateSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { contentTask } from '../../src/knowledge/extract/tasks.ts';
import { ExtractFailure } from '../../src/sandbox/extract-failure.ts';
import { createTaskRunner, type RunnerLimits } from '../../src/sandbox/task-runner.ts';
import { doc, msg } from '../support/knowledge/compound-files.ts';
import { docx, epub, odf, paragraph, pptx, xlsx, zip } from '../support/knowledge/office-files.ts';
import { catalog, font, page, pdf, stream } from '../support/knowledge/pdf-files.ts';

/** Reads a file as the gateway does, in less memory, and with more time for a busy machine. */
const read = (bytes: Uint8Array, limits: Partial<RunnerLimits> = {}) =>
  createTaskRunner({ timeoutMs: 100_000, heapMb: 64, memoryMb: 320, idleMs: 0, ...limits })(
    contentTask,
    { bytes, contentType: '', url: null, kind: null },
    { workspaceId: 'wsp_a' },
  );
/** The text, or the reason for refusal; fails if the reader itself is at fault. */
const outcome = async (bytes: Uint8Array, limits: Partial<RunnerLimits> = {}): Promise<string> => {
  try {
    return (await read(bytes, limits)).sections.map(({ text }) => text).join('\n');
  } catch (error) {
    expect(error).toBeInstanceOf(ExtractFailure);
    return (error as Error).message;
  }
};

/** Billion laughs: ten entities, each ten times the one before. */
const laughs = `<!DOCTYPE l [<!ENTITY a0 "ha">${Array.from({ length: 10 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`).join('')}]>`;
const deep = (name: string, depth: number) => `<${name}>`.repeat(depth) + 'x' + `</${name}>`.repeat(depth);

describe('a packed file that is hostile ends with a reason:', () => {
  test('one of little that unpacks to a lot', async () => {
    const bomb = docx(paragraph(' '.repeat(20_000_000)));
    expect(bomb.length).toBeLessThan(50_000);
    await expect(read(bomb, { heapMb: 24, memoryMb: 120 })).rejects.toThrow(/takes too (much memory|long)|too large/);
  });

  test('one whose parts are longer than it says', async () => {
    const bomb = docx(paragraph('ha'.repeat(5_000_000)));
    const view = new DataView(bomb.buffer, bomb.byteOffset, bomb.byteLength);
    const bytes = Buffer.from(bomb.buffer, bomb.byteOffset, bomb.byteLength);
    // The uncompressed sizes, in the part's own header and in the directory.
    view.setUint32(bytes.indexOf('PK\x03\x04') + 22, 1_000, true);
    view.setUint32(bytes.indexOf('PK\x01\x02') + 24, 1_000, true);
    expect((await outcome(bomb)).length).toBeLessThan(2_000);
  });

  test('one with very many parts', async () => {
    const one = Buffer.from(zip({ 'word/00000.xml': '' }));
    const [directory, end] = [one.indexOf('PK\x01\x02'), one.indexOf('PK\x05\x06')];
    const entry = one.subarray(directory, end);
    const entries = Array.from({ length: 20_001 }, (_, index) => {
      const named = Buffer.from(entry);
      named.write(`word/${String(index).padStart(5, '0')}`, 46);
      return named;
    });
    const tail = Buffer.from(one.subarray(end));
    tail.writeUInt16LE(entries.length, 8);
    tail.writeUInt16LE(entries.length, 10);
    const bytes = Buffer.concat([one.subarray(0, directory), ...entries, tail]);
    await expect(read(new Uint8Array(bytes))).rejects.toThrow('The file is too large once unpacked: split it');
  });

  test('one that holds itself in itself is one that holds a ZIP file', async () => {
    const inner = zip({ 'a.txt': 'x' });
    await expect(read(zipSync({ 'a.zip': inner }))).rejects.toThrow(/It is a ZIP file/);
  });

  test.each([
    ['Word', docx(deep('w:p', 200_000))],
    ['Excel', xlsx(deep('row', 200_000))],
    ['PowerPoint', pptx(deep('p:sp', 200_000))],
    ['a book', epub(`<html><body>${deep('div', 200_000)}</body></html>`)],
    ['OpenDocument', odf(`<office:text>${deep('text:span', 200_000)}</office:text>`)],
  ])('XML that nests 200,000 deep, in %s', async (_name, bytes) => {
    expect(await outcome(bytes)).toMatch(/damaged|too deeply nested|too many elements|takes too|no text/);
  });

  test.each([
    ['Word', docx(paragraph('before &a10; after'), laughs)],
    ['Excel', xlsx('<row><c r="A1" t="inlineStr"><is><t>before &a10; after</t></is></c></row>', laughs)],
    ['PowerPoint', pptx(`${laughs}<p:sld><p:sp><a:p><a:r><a:t>before &a10; after</a:t></a:r></a:p></p:sp></p:sld>`)],
    ['a book', epub(`${laughs}<html><body><p>before &a10; after</p></body></html>`)],
    ['OpenDocument', odf('<office:text><text:p>before &a10; after</text:p></office:text>', { head: laughs })],
  ])('entities that unfold without end are not unfolded, in %s', async (_name, bytes) => {
    expect((await outcome(bytes)).length).toBeLessThan(10_000);
  });
});

describe('a file of an older format that is hostile ends with a reason, or with what is in it:', () => {
  test('RTF whose groups nest without end', async () => {
    const bytes = Buffer.from(`{\\rtf1 ${'{'.repeat(1_000_000)}`);
    await expect(read(new Uint8Array(bytes))).rejects.toThrow('too deeply nested');
  });

  test('a spreadsheet that repeats a row and a cell a thousand million times', async () => {
    const repeated = 'table:number-rows-repeated="1000000000"';
    const cell = '<table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell>';
    const sheet = (rows: string) =>
      odf(`<office:spreadsheet><table:table table:name="A">${rows}</table:table></office:spreadsheet>`);
    const row = `<table:table-row ${repeated}>${cell}</table:table-row>`;
    expect(await outcome(sheet(row))).toMatch(/more than 2 million rows/);
    const empty = `<table:table-row ${repeated}><table:table-cell/></table:table-row>`;
    expect(await outcome(sheet(`${empty}<table:table-row>${cell}</table:table-row>`))).toMatch(/million rows/);
    expect((await outcome(sheet(`<table:table-row>${cell}</table:table-row>${empty}`))).length).toBeLessThan(10_000);
  });

  test.each([
    ['Word', () => doc('Words.\r')],
    ['Outlook', () => msg({ properties: { '0037': 'Words', '1000': 'Words.' } })],
  ])('a compound file of %s whose sectors follow themselves', async (_name, make) => {
    const bytes = Buffer.from(make());
    // Every entry of every table of sectors: sector 1 follows sector 1.
    const table = 512 * (1 + bytes.readInt32LE(0x4c));
    bytes.fill(Buffer.from([1, 0, 0, 0]), table, table + 512);
    expect(await outcome(new Uint8Array(bytes), { timeoutMs: 5_000 })).toMatch(
      /could not be read|takes too (much memory|long)|no text|Words/,
    );
  });
});

const said = stream(Buffer.from('BT /F 9 Tf (Just this.) Tj ET'), '');
const withFont = '/Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>';
const packed = (text: string) => stream(deflateSync(Buffer.from(text)), '/Filter /FlateDecode');

describe('a PDF that is hostile ends with a reason, or with what is in it:', () => {
  test('the one that the others are made from is read', async () => {
    const bytes = pdf([catalog, '<< /Type /Pages /Count 1 /Kids [3 0 R] >>', page(withFont), said, font]);
    expect(await outcome(bytes)).toBe('Just this.');
  });

  test.each([
    ['whose pages hold themselves', '<< /Type /Pages /Count 1000 /Kids [2 0 R 2 0 R 3 0 R] >>'],
    ['that says that it has 2,000,000,000 pages', '<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>'],
    ['that says that it has fewer than none', '<< /Type /Pages /Count -5 /Kids [3 0 R] >>'],
  ])('one %s', async (_name, pages) => {
    expect(await outcome(pdf([catalog, pages, page(withFont), said, font]))).toMatch(
      /more than 5,000 pages|damaged|no text|takes too|Just this/,
    );
  });

  test('one whose older part is itself', async () => {
    const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    expect(await outcome(pdf([catalog, pages, page(withFont), said, font], '/Prev AT'))).toBe('Just this.');
  });

  test.each([
    ['that is 40 MB of blanks once unpacked', packed(' '.repeat(40_000_000)), 'It contains no text'],
    ['that writes the same place over and over', packed(`BT /F 9 Tf ${'(ha) Tj '.repeat(100_000)} ET`), 'hahaha'],
    [
      'that is packed twice',
      stream(deflateSync(deflateSync(Buffer.alloc(10_000_000, ' '))), '/Filter [/FlateDecode /FlateDecode]'),
      'It contains no text',
    ],
  ])('a page %s', async (_name, content, said) => {
    const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    expect(await outcome(pdf([catalog, pages, page(withFont), content, font]))).toContain(said);
  });

  test('a page that saves its state without end, which would take days', async () => {
    const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    const bytes = pdf([catalog, pages, page(withFont), packed('q '.repeat(2_000_000)), font]);
    // One of two limits applies on any machine: it neither ends nor fills its heap before its memory.
    expect(await outcome(bytes, { timeoutMs: 3_000, heapMb: 2_000 })).toMatch(/takes too (long|much memory)/);
  });

  test('fields that nest without end, whose names would take minutes', async () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => {
      const above = index === 0 ? '' : `/Parent ${index + 5} 0 R`;
      return `<< /Type /Annot /Subtype /Widget /FT /Tx /V (v) /T (f) ${above} /Kids [${index + 7} 0 R] /Rect [0 0 9 9] >>`;
    });
    const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    const bytes = pdf([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>',
      pages,
      page(`${withFont} /Annots [20005 0 R]`),
      said,
      font,
      ...fields,
    ]);
    expect(await outcome(bytes, { timeoutMs: 3_000 })).toMatch(/takes too (long|much memory)|Just this/);
  });

  test('a form that draws itself', async () => {
    const form = stream(
      Buffer.from('/X Do'),
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>',
    );
    const pages = '<< /Type /Pages /Count 1 /Kids [3 0 R] >>';
    const bytes = pdf([
      catalog,
      pages,
      page('/Contents 5 0 R /Resources << /XObject << /X 4 0 R >> >>'),
      form,
      stream(Buffer.from('/X Do'), ''),
    ]);
    expect(await outcome(bytes)).toMatch(/takes too|damaged|no text/);
  });
});
