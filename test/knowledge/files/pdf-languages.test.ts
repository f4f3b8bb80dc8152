import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';
import { drawnPdf } from '../../support/knowledge/pdf-files.ts';

const saved = async (name: string) =>
  extractFile(await readFile(new URL(`../../files/languages/${name}`, import.meta.url)));
const text = async (bytes: Uint8Array) => textOf(await extractFile(bytes));

describe('a PDF that LibreOffice wrote reads in the order of its script:', () => {
  test.each([
    ['he.pdf', 'המעבורת יוצאת מהנמל הצפוני בשעה 09:30 בכל יום, חוץ מיום שבת, ומחיר כרטיס הוא 12.50 ש״ח לאדם.'],
    ['he.pdf', 'כלבים (עד 10 ק״ג) נוסעים חינם בסיפון העליון; ראו Harbour Hall בעמוד 3.'],
    ['ar.pdf', 'تغادر العبّارة الميناء الشمالي في الساعة 09:30 كل يوم ما عدا الجمعة، وسعر التذكرة 12'],
    ['ar.pdf', 'تسافر الكلاب مجانًا على السطح العلوي، انظر Harbour Hall في الصفحة ٣.'],
    ['ja.pdf', '社長の見解は長い文章で、一行に収まらないので、次の行に続きます。'],
    ['pt.pdf', 'exceto na terça-feira, e o bilhete'],
  ])('%s', async (name, words) => {
    expect(textOf(await saved(name))).toContain(words);
  });
});

/** What `sources/indic.html` says. */
const indic = [
  'कुत्ते ऊपरी डेक पर मुफ़्त यात्रा करते हैं। कृपया शिक्षा मंत्री की किताब पढ़ें। क्षेत्रीय विद्यार्थियों की प्रतियोगिता कार्यक्रम में हिन्दी र्की।',
  'বাংলাদেশের রাজধানী ঢাকা। ক্ষুদ্র শিক্ষার্থীদের জন্য কর্মসূচি।',
  'தமிழ் மொழியில் கொடுக்கப்பட்ட பயணச்சீட்டு.',
  'తెలుగు భాషలో ప్రయాణీకుల టిక్కెట్టు ధర.',
];
const hindi = [
  'नौका हर दिन सुबह नौ बजे उत्तरी बंदरगाह से निकलती है, और टिकट की कीमत पचास रुपये है।',
  'कुत्ते ऊपरी डेक पर मुफ़्त यात्रा करते हैं। कृपया शिक्षा मंत्री की किताब पढ़ें।',
];

describe('a PDF in a script that joins its signs is read as it is spelled:', () => {
  test.each([
    ['LibreOffice, Hindi', 'hi.pdf', hindi],
    ['LibreOffice', 'indic.pdf', indic],
    ['printed by Chromium', 'indic-chromium.pdf', indic],
    ['with its objects packed', 'indic-packed.pdf', indic],
  ])('%s', async (_name, file, lines) => {
    const read = await saved(file);
    for (const line of lines) expect(textOf(read).replaceAll('\n', ' ')).toContain(line);
    expect(read.warnings?.filter((warning) => !warning.includes('no text'))).toEqual([]);
  });

  test('where the spelling cannot be known, it is read as it is drawn, with a warning', async () => {
    const { warnings, sections } = await saved('indic-locked.pdf');
    expect(sections[0]?.text).toContain('বাংলা');
    expect(warnings).toEqual(['Page 1 may lack letters of words in a script that joins its signs']);
  });
});

const hebrew = { a: 'א', b: 'ב', g: 'ג', d: 'ד', l: 'ל', m: 'ם', s: 'ש', v: 'ו' };

describe('text is read in the order of a reader, however it is drawn:', () => {
  test.each([
    // Each letter, and each word, as they stand on the page from left to right.
    [
      'Hebrew from left to right',
      [
        { x: 100, y: 700, text: 'dg' },
        { x: 120, y: 700, text: 'ba' },
        { x: 140, y: 700, text: 'mvls' },
      ],
      hebrew,
      'שלום אב גד',
    ],
    [
      'Hebrew from right to left',
      [
        { x: 140, y: 700, text: 'mvls' },
        { x: 120, y: 700, text: 'ba' },
        { x: 100, y: 700, text: 'dg' },
      ],
      hebrew,
      'שלום אב גד',
    ],
    [
      'a Latin name and a price in Hebrew',
      [
        { x: 60, y: 700, text: 'ba' },
        { x: 80, y: 700, text: 'OK' },
        { x: 105, y: 700, text: '12' },
        { x: 140, y: 700, text: 'mvls' },
      ],
      hebrew,
      'שלום OK 12 אב',
    ],
    [
      'a Hebrew name in English',
      [
        { x: 60, y: 700, text: 'The ' },
        { x: 100, y: 700, text: 'dg' },
        { x: 120, y: 700, text: 'ba' },
        { x: 150, y: 700, text: 'of a town FAR WEST' },
      ],
      { ...hebrew, a: 'א' },
      /^The /,
    ],
  ])('%s', async (_name, words, map, expected) => {
    const read = await text(drawnPdf(words, map));
    if (typeof expected === 'string') expect(read).toBe(expected);
    else expect(read).toMatch(expected);
  });

  test.each([
    [
      'Arabic presentation forms',
      { A: 'ﻣ', B: 'ﺮ', C: 'ﺣ', D: 'ﺒ', E: 'ﺎ' },
      [{ x: 10, y: 700, text: 'EDCBA' }],
      'مرحبا',
    ],
    ['a ligature of Arabic', { A: 'ﻻ' }, [{ x: 10, y: 700, text: 'A' }], 'لا'],
    ['radicals of Japanese', { A: '社', B: '⻑', C: '⾒', D: '⻘' }, [{ x: 10, y: 700, text: 'ABCD' }], '社長見青'],
  ])('%s are letters', async (_name, map, words, expected) => {
    expect(await text(drawnPdf(words, map as unknown as Record<string, string>))).toBe(expected);
  });

  const left = [
    'The ferry leaves the north',
    'pier at nine every day but',
    'Sunday and dogs travel free',
    'on the upper deck if they',
    'weigh less than ten kilos',
    'and sleep.',
  ];
  const right = [
    'Bicycles cost three euros',
    'each and must be tied to',
    'the rail of the lower deck',
    'until the boat has landed',
    'at the quay of the other',
    'harbour.',
  ];
  const rows = (pairs: [string, string][]) =>
    pairs.flatMap(([one, other], index) => [
      { x: 50, y: 700 - index * 12, text: one },
      { x: 320, y: 700 - index * 12, text: other },
    ]);

  test('columns that are drawn across both', async () => {
    const words = rows(left.map((line, index) => [line, right[index] ?? '']));
    expect(await text(drawnPdf(words))).toBe(`${left.join(' ')}\n${right.join(' ')}`);
  });

  test('rows of a table stay rows', async () => {
    const table: [string, string][] = [
      ['Ticket for grown-up people', 'Twelve euros and fifty'],
      ['Ticket for smaller people', 'Six euros and twenty'],
      ['Dogs of less than ten kilos', 'Nothing, on the upper deck'],
      ['Bicycles without a motor', 'Three euros for each'],
      ['Camper vans to seven metres', 'Sixty-four euros each'],
    ];
    expect(await text(drawnPdf(rows(table)))).toContain('Bicycles without a motor Three euros for each');
  });

  test.each([
    ['a hyphen of a day', ['A lancha parte todas as segunda-', 'feiras do porto.'], 'segunda-feiras do porto.'],
    [
      'a hyphen that the word has elsewhere',
      ['O guarda-chuva fica no cais com outro guarda-', 'chuva.'],
      'outro guarda-chuva.',
    ],
    ['a hyphen of the line', ['The harbour master may can-', 'cel a sailing.'], 'may cancel a sailing.'],
  ])('%s', async (_name, lines, expected) => {
    expect(await text(drawnPdf(lines.map((line, at) => ({ x: 50, y: 700 - at * 12, text: line }))))).toContain(
      expected,
    );
  });
});

describe('a font that does not say which characters it shows:', () => {
  test('its text is not read, and a warning says so', async () => {
    const map = Object.fromEntries(
      'abcdefgh'.split('').map((letter, at) => [letter, String.fromCharCode(0xe000 + at)]),
    );
    await expect(extractFile(drawnPdf([{ x: 10, y: 700, text: 'abcdefgh' }], map))).rejects.toThrow(
      'Its font does not say which characters it shows',
    );
    const half = drawnPdf([{ x: 10, y: 700, text: 'abcdefghOPEN FROM NINE TO FIVE ON DAYS' }], map);
    expect((await extractFile(half)).warnings).toEqual([]);
  });

  test('words that are none are read with a warning', async () => {
    // The numbers of the signs of a font are often 29 less than ASCII.
    const shifted = (words: string) =>
      words.replace(/[a-zA-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 29));
    const lines = Array.from({ length: 12 }, (_, at) => ({
      x: 10,
      y: 700 - at * 12,
      text: shifted('The ferry leaves the north pier at nine every day but Sunday'),
    }));
    const { warnings, sections } = await extractFile(drawnPdf(lines));
    expect(sections).toHaveLength(1);
    expect(warnings).toEqual(['Page 1 may be garbled: most of its words are none']);
  });

  test.each([
    ['English', 'The ferry leaves the north pier at nine every day but Sunday. '],
    ['Welsh', 'Mae pysgod yn y dwr ac mae ystyr i bob gwynt cryf. '],
    ['codes and prices', 'Cabin A-12 costs 45.00 EUR, cabin B-14 costs 62.50 EUR a night. '],
  ])('%s is no garbage', async (_name, words) => {
    const lines = Array.from({ length: 12 }, (_, at) => ({ x: 10, y: 700 - at * 12, text: words }));
    expect((await extractFile(drawnPdf(lines))).warnings).toEqual([]);
  });
});
