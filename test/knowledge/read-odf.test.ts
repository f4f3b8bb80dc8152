import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';
import { odf } from '../support/knowledge/office-files.ts';

const text = (body: string, options?: Parameters<typeof odf>[1]) =>
  extractFile(odf(`<office:text>${body}</office:text>`, options));
const p = (words: string, style = '') => `<text:p text:style-name="${style}">${words}</text:p>`;
const h = (level: number, words: string) => `<text:h text:outline-level="${level}">${words}</text:h>`;
const frame = (inner: string, attributes = '') => `<draw:frame ${attributes}>${inner}</draw:frame>`;

describe('an OpenDocument text', () => {
  test('is read with its title, by its headings, notes and boxes where they stand', async () => {
    const meta =
      '<office:document-meta xmlns:dc="d" xmlns:office="o"><office:meta><dc:title>House rules</dc:title>' +
      '<dc:subject>For guests</dc:subject></office:meta></office:document-meta>';
    const read = await text(
      p('The Inn', 'P1') +
        `<text:table-of-content><text:index-body>${p('Sauna 1')}</text:index-body></text:table-of-content>` +
        h(2, 'Sauna') +
        p(
          'Open<text:s text:c="2"/>from<text:tab/>four<text:note><text:note-citation>1</text:note-citation>' +
            `<text:note-body>${p('Not on Mondays.')}</text:note-body></text:note><text:line-break/>to ten.` +
            `<office:annotation>${p('Really?')}</office:annotation>${frame(`<draw:text-box>${p('Bring towels.')}</draw:text-box>`)}`,
        ) +
        `<text:tracked-changes>${p('gone')}</text:tracked-changes>` +
        p(frame('<draw:image xlink:href="Pictures/1.png"/>')),
      {
        styles: '<style:style style:name="P1" style:parent-style-name="Title"/>',
        more: { 'meta.xml': meta },
      },
    );
    expect(read).toMatchObject({ title: 'House rules', description: 'For guests' });
    expect(read.sections).toEqual([
      {
        heading: 'The Inn › Sauna',
        text: 'Open  from\tfour\nto ten.\n\nBring towels.\n\n[1] Not on Mondays.',
      },
    ]);
    expect(read.warnings).toEqual(['1 picture is not read']);
  });

  test('has the numbers and bullets of its lists, and its formulas as they were typed', async () => {
    const item = (words: string, inner = '', start = '') =>
      `<text:list-item ${start}>${p(words)}${inner}</text:list-item>`;
    const styles =
      '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>' +
      '<text:list-level-style-bullet text:level="2"/></text:list-style>';
    const read = await text(
      `<text:list text:style-name="L1">${item('Undress.', `<text:list>${item('Hang up coats.')}</text:list>`)}${item('Sweat.')}</text:list>` +
        p('A break.') +
        `<text:list text:style-name="L1" text:continue-numbering="true">${item('Cool down.')}</text:list>` +
        p(
          `Energy: ${frame('<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>')}`,
        ),
      {
        styles,
        more: {
          'Object 1/content.xml':
            '<math><semantics><mrow><mi>E</mi></mrow><annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>',
        },
      },
    );
    expect(textOf(read)).toBe(
      '1. Undress.\n- Hang up coats.\n2. Sweat.\n\nA break.\n\n3. Cool down.\n\nEnergy: E = m c^2',
    );
    expect(read.warnings).toEqual([]);
  });

  test('has its tables row by row, with the names of the columns', async () => {
    const row = (...cells: string[]) =>
      `<table:table-row>${cells.map((cell) => `<table:table-cell>${cell}</table:table-cell>`).join('')}</table:table-row>`;
    const read = await text(
      `<table:table><table:table-header-rows>${row(p('Room'), p('Price'))}</table:table-header-rows>` +
        `${row(p('Small') + p('(attic)'), p('90 €'))}</table:table>`,
    );
    expect(textOf(read)).toBe('Room: Small (attic) | Price: 90 €');
  });

  test('that is locked with a password says so', async () => {
    const more = {
      'META-INF/manifest.xml': '<m:manifest xmlns:m="m"><m:encryption-data m:checksum="x"/></m:manifest>',
    };
    await expect(text(p('x'), { more })).rejects.toThrow('The file is locked with a password');
  });
});

test('an OpenDocument spreadsheet is read by its sheets and rows, as its cells are displayed', async () => {
  const cell = (words: string, attributes = '') =>
    `<table:table-cell ${attributes}>${words && p(words)}</table:table-cell>`;
  const read = await extractFile(
    odf(
      '<office:spreadsheet><table:table table:name="Prices"><table:table-column/>' +
        `<table:table-header-rows><table:table-row>${cell('Room')}${cell('Price')}${cell('From')}</table:table-row></table:table-header-rows>` +
        `<table:table-row table:number-rows-repeated="3">${cell('', 'table:number-columns-repeated="1024"')}</table:table-row>` +
        `<table:table-row>${cell('Small')}${cell('90,00 €', 'office:value="90"')}<table:table-cell office:date-value="2026-11-02"/></table:table-row>` +
        `<table:table-row table:number-rows-repeated="2">${cell('Large')}<table:covered-table-cell>${p('gone')}</table:covered-table-cell>${cell('May')}</table:table-row>` +
        `<table:table-row table:number-rows-repeated="1048570">${cell('', 'table:number-columns-repeated="16384"')}</table:table-row>` +
        '</table:table></office:spreadsheet>',
    ),
  );
  expect(read.sections).toEqual([
    {
      sheet: 'Prices',
      rows: '5–7',
      text: 'Room: Small | Price: 90,00 € | From: 2026-11-02\nRoom: Large | From: May\nRoom: Large | From: May',
    },
  ]);
});

test('an OpenDocument presentation is read slide by slide, with its notes', async () => {
  const box = (words: string, kind: string) =>
    frame(`<draw:text-box>${p(words)}</draw:text-box>`, `presentation:class="${kind}"`);
  const read = await extractFile(
    odf(
      `<office:presentation><draw:page>${box('Hours', 'title')}${box('From four to ten.', 'outline')}${box('7', 'page-number')}` +
        `<draw:custom-shape>${p('Closed on Mondays')}</draw:custom-shape>` +
        `<presentation:notes>${box('Mention towels.', 'notes')}</presentation:notes></draw:page><draw:page/>` +
        `<draw:page>${box('Thanks', 'title')}</draw:page></office:presentation>`,
    ),
  );
  expect(read.sections).toEqual([
    { slide: 1, heading: 'Hours', text: 'From four to ten.\n\nClosed on Mondays\n\nMention towels.' },
    { slide: 3, heading: 'Thanks', text: 'Thanks' },
  ]);
});
