import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';

/** Encodes text in an encoding that Node can only decode, by searching the bytes of each letter. */
function encode(label: string, text: string): Buffer {
  const decoder = new TextDecoder(label);
  const known = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    const letter = decoder.decode(Uint8Array.from(bytes));
    if (letter.length === 1 && letter !== '\ufffd' && !known.has(letter)) known.set(letter, bytes);
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail);
  return Buffer.from(Array.from(text).flatMap((letter) => known.get(letter) ?? []));
}

const russian = 'Пристань открыта с девяти утра до шести вечера. Билеты продаются на втором этаже, у лестницы.';
const samples: [string, string][] = [
  ['shift_jis', '船着き場は午前九時から午後六時まで開いています。切符売り場は二階にあります。'],
  ['gbk', '码头从上午九点开放到下午六点。售票处在二楼的楼梯旁边。'],
  ['ibm866', russian],
  ['windows-1251', russian],
  ['koi8-r', russian],
  ['macintosh', 'À côté de l’écluse, l’été, les élèves mangent des crêpes près du château; la forêt est fermée.'],
  ['windows-1252', 'Atenção: a promoção de verão não dá direito a devolução após o terceiro dia útil.'],
  [
    'windows-1250',
    'Przystań jest otwarta od dziewiątej do osiemnastej. Bilety są sprzedawane na piętrze, obok schodów.',
  ],
];

describe('text that does not say how it is encoded', () => {
  test.each(samples)('is read in %s', async (label, text) => {
    expect(textOf(await extractFile(encode(label, text)))).toBe(text);
  });

  test('is read without a warning where its letters leave no doubt', async () => {
    for (const [label, text] of samples.slice(0, 3)) {
      expect((await extractFile(encode(label, text))).warnings ?? []).toEqual([]);
    }
  });

  test('is read as Western European, with a warning, where there is too little of it to tell', async () => {
    const { warnings, ...read } = await extractFile(encode('windows-1252', 'Café 5 euros'));
    expect(textOf(read)).toBe('Café 5 euros');
    expect(warnings).toEqual([
      'The file does not declare its character encoding: it was read as windows-1252, which may be wrong',
    ]);
  });

  test('is read when it is long', async () => {
    const { sections } = await extractFile(encode('windows-1251', `${russian}\n\n`.repeat(40_000)));
    expect(sections[0]?.text.length).toBeGreaterThan(3_000_000);
    expect(sections[0]?.text.startsWith(russian)).toBe(true);
  });

  test('is UTF-8 where all but little of it is, with a warning', async () => {
    const bytes = Buffer.concat([Buffer.from(russian), Buffer.from([0xff]), Buffer.from('конец')]);
    const { warnings, ...read } = await extractFile(bytes);
    expect(textOf(read)).toBe(`${russian}\ufffdконец`);
    expect(warnings).toEqual(['The file is not valid UTF-8: 1 of its characters could not be read']);
  });
});

describe('the encoding that a page declares', () => {
  const page = (head: string) => `${head}<html><head>%</head><body><p>${russian}</p></body></html>`;

  test.each([
    ['in an XML declaration', page('<?xml version="1.0" encoding="koi8-r"?>').replace('%', '')],
    ['late, behind its scripts', page('').replace('%', `<script>${'x'.repeat(5_000)}</script><meta charset="koi8-r">`)],
  ])('is obeyed: %s', async (_name, html) => {
    // Too short to detect an encoding.
    const short = html.replace(russian, 'Ёж и чай');
    const read = await extractFile(encode('koi8-r', short));
    expect(textOf(read)).toBe('Ёж и чай');
    expect(read.warnings ?? []).toEqual([]);
  });

  test('is not believed where it is Latin-1 and the page is UTF-8', async () => {
    const html = page('').replace('%', '<meta charset="iso-8859-1">');
    expect(textOf(await extractFile(Buffer.from(html)))).toBe(russian);
  });
});
