import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../../support/knowledge/extract-source.ts';

const read = (words: string) => extractFile(Buffer.from(words));
const lines = (...all: string[]) => all.join('\r\n');

describe('text of a known format is read as what it is:', () => {
  test('a vCard of version 3, as phones and Google write it', async () => {
    const card = lines(
      'BEGIN:VCARD',
      'VERSION:3.0',
      'FN:Inês Araújo',
      'N:Araújo;Inês;;;',
      'ORG:Harbour Hall\\, Ltd;Pier',
      'item1.TEL;TYPE=WORK,VOICE:+351 21 000',
      ' 1234',
      'TEL;VALUE=uri;TYPE=cell:tel:+351-91-000-0000',
      'EMAIL;TYPE=INTERNET:ines@hall.example',
      'ADR;TYPE=home:;;Rua A\\, 1;Porto;;4000-001;Portugal',
      'NOTE:Ring twice\\nthen wait',
      'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQ',
      ' AAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQ',
      'END:VCARD',
    );
    expect((await read(card)).sections).toEqual([
      {
        heading: 'Inês Araújo',
        text: 'Inês Araújo\nOrganization: Harbour Hall, Ltd, Pier\nPhone (work): +351 21 0001234\nPhone (cell): +351-91-000-0000\nEmail: ines@hall.example\nAddress (home): Rua A, 1, Porto, 4000-001, Portugal\nNote: Ring twice\nthen wait',
      },
    ]);
  });

  test('a vCard of version 2.1 with quoted-printable, and several in a file', async () => {
    const old = lines(
      'BEGIN:VCARD',
      'VERSION:2.1',
      'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Ara=FAjo;In=',
      '=EAs',
      'TEL;HOME:123',
      'END:VCARD',
    );
    const next = lines('begin:vcard', 'fn:Odo', 'end:vcard');
    expect((await read(`${old}\r\n${next}`)).sections).toEqual([
      { heading: 'Inês Araújo', text: 'Inês Araújo\nPhone (home): 123' },
      { heading: 'Odo', text: 'Odo' },
    ]);
  });

  test('a calendar: events, tasks, zones, whole days and rules', async () => {
    const calendar = lines(
      'BEGIN:VCALENDAR',
      'X-WR-CALNAME:Harbour',
      'BEGIN:VTIMEZONE',
      'TZID:Europe/Lisbon',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'SUMMARY:Fire drill',
      'DTSTART;TZID=Europe/Lisbon:20260304T143000',
      'DTEND;TZID=Europe/Lisbon:20260304T150000',
      'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231T000000Z',
      'LOCATION:Pier 2\\, upper deck',
      'ORGANIZER;CN=Noor Haddad:mailto:noor@hall.example',
      'DESCRIPTION:Bring\\nboots.',
      'BEGIN:VALARM',
      'DESCRIPTION:Reminder',
      'END:VALARM',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'SUMMARY:Feast',
      'DTSTART;VALUE=DATE:20260501',
      'DTEND;VALUE=DATE:20260503',
      'STATUS:CANCELLED',
      'END:VEVENT',
      'BEGIN:VTODO',
      'SUMMARY:Paint',
      'DUE:20260601T090000Z',
      'END:VTODO',
      'END:VCALENDAR',
    );
    const { title, sections } = await read(calendar);
    expect(title).toBe('Harbour');
    expect(sections).toEqual([
      {
        heading: 'Fire drill',
        text: 'Fire drill\nStarts: 2026-03-04 14:30 (Europe/Lisbon)\nEnds: 2026-03-04 15:00 (Europe/Lisbon)\nRepeats: every 2 weeks on Monday, Wednesday until 2026-12-31\nWhere: Pier 2, upper deck\nOrganizer: Noor Haddad\nBring\nboots.',
      },
      { heading: 'Feast', text: 'Feast\nStarts: 2026-05-01\nEnds: 2026-05-02\nStatus: cancelled' },
      { heading: 'Paint', text: 'Paint\nDue: 2026-06-01 09:00 (UTC)' },
    ]);
  });

  test('a notebook: its words, code and printed results, without pictures', async () => {
    const file = JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        { cell_type: 'markdown', source: ['# Tides\n', 'High at nine.'] },
        {
          cell_type: 'code',
          source: 'print(1)\n',
          outputs: [
            { output_type: 'stream', text: ['1\n'] },
            {
              output_type: 'display_data',
              data: { 'image/png': 'iVBORw0KGgo='.repeat(100), 'text/plain': '<Figure>' },
            },
          ],
        },
      ],
    });
    const { title, sections, warnings } = await read(file);
    expect(title).toBe('Tides');
    expect(sections).toEqual([{ heading: 'Tides', text: 'High at nine.\n\n```\nprint(1)\n```\n\n```\n1\n```' }]);
    expect(warnings).toEqual(['1 picture is not read']);
  });

  test('a FictionBook, without its pictures in base64', async () => {
    const book =
      '<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">' +
      '<description><title-info><book-title>Маяк</book-title><annotation><p>О свете.</p></annotation></title-info></description>' +
      '<body><section><title><p>Глава 1</p><p>Шторм</p></title><p>Ни одного <emphasis>корабля</emphasis>.</p><poem><stanza><v>Раз</v><v>два</v></stanza></poem></section></body>' +
      `<binary id="a.jpg" content-type="image/jpeg">${'/9j/4AAQ'.repeat(500)}</binary></FictionBook>`;
    expect(await read(book)).toEqual({
      title: 'Маяк',
      description: 'О свете.',
      sections: [{ heading: 'Глава 1 Шторм', text: 'Ни одного корабля.\n\nРаз\nдва' }],
      warnings: ['1 picture is not read'],
    });
  });

  test.each([
    [
      'SubRip',
      '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Welcome</i> aboard.\r\n\r\n2\r\n00:00:02,600 --> 00:00:04,000\r\nMind the step.\r\n\r\n3\r\n00:01:00,000 --> 00:01:02,000\r\n{\\an8}Later.\r\n',
      'Welcome aboard.\nMind the step.\n\nLater.',
    ],
    [
      'WebVTT',
      'WEBVTT - Tour\n\nNOTE by Odo\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Noor>Welcome <00:01.500><c>aboard</c> &amp; in.\n',
      'Noor: Welcome aboard & in.',
    ],
    [
      'captions that roll',
      'WEBVTT\n\n00:01.000 --> 00:02.000\nWelcome\n\n00:02.000 --> 00:03.000\nWelcome\naboard\n\n00:03.000 --> 00:04.000\naboard\nMind the step\n',
      'Welcome\naboard\nMind the step',
    ],
    [
      'SBV',
      '0:00:00.599,0:00:04.160\nWelcome\naboard\n\n0:00:04.200,0:00:05.000\nMind the step\n',
      'Welcome\naboard\nMind the step',
    ],
    [
      'SubStation Alpha',
      '[Script Info]\nTitle: Tour\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\i1}Welcome{\\i0}, all\\Naboard\n',
      'Welcome, all\naboard',
    ],
    [
      'TTML',
      '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="00:00:01.000" end="00:00:02.000">Welcome<br/>aboard</p><p begin="00:00:03.000">Mind the <span>step</span></p></div></body></tt>',
      'Welcome\naboard\nMind the step',
    ],
    [
      'captions of YouTube',
      '<?xml version="1.0" encoding="utf-8" ?><transcript><text start="0.5" dur="2">Welcome aboard</text><text start="3">Mind the step</text></transcript>',
      'Welcome aboard\nMind the step',
    ],
    [
      'a log with times',
      '[12:30] Noor: Ahoy\n[12:31] Rita: Hello\nto you',
      '[12:30] Noor: Ahoy\n[12:31] Rita: Hello\nto you',
    ],
    ['a log of lines with times', '[12:30] Noor: Ahoy\n[12:31] Rita: Hello', '[12:30] Noor: Ahoy\n[12:31] Rita: Hello'],
    ['lyrics', '[ar:Noor]\n[00:12.00]Boats go out\n[00:15.30][00:40.10]Boats come in\n', 'Boats go out\nBoats come in'],
    [
      'a chat with times in brackets is none',
      '[04/03/2026, 14:30:00] Ana: Is it open?\n[04/03/2026, 14:31:00] Odo: Yes.',
      '[04/03/2026, 14:30:00] Ana: Is it open?\n[04/03/2026, 14:31:00] Odo: Yes.',
    ],
    [
      'a calendar with a length, the nth weekday and a journal',
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Sail\nDTSTART:20260304T090000Z\nDURATION:PT1H30M\nRRULE:FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=5\nEND:VEVENT\nBEGIN:VJOURNAL\nSUMMARY:Log\nDESCRIPTION:Calm\nEND:VJOURNAL\nEND:VCALENDAR\n',
      'Sail\nStarts: 2026-03-04 09:00 (UTC)\nLasts: 1 hour 30 minutes\nRepeats: every month on the first Monday, the last Friday 5 times\nLog\nCalm',
    ],
    [
      'a vCard of version 4',
      'BEGIN:VCARD\nVERSION:4.0\nFN:Odo Pier\nTITLE:Captain\nBDAY:19800305\nLOGO:data:image/png;base64,iVBORw0KGgo=\nEND:VCARD\n',
      'Odo Pier\nTitle: Captain\nBirthday: 1980-03-05',
    ],
    [
      'a notebook of format 3',
      JSON.stringify({
        nbformat: 3,
        worksheets: [
          {
            cells: [
              { cell_type: 'heading', level: 1, source: ['Tides'] },
              { cell_type: 'markdown', source: ['High at nine.'] },
              { cell_type: 'code', input: ['print(1)'], outputs: [{ output_type: 'stream', text: ['1'] }] },
            ],
          },
        ],
      }),
      'High at nine.\n\n```\nprint(1)\n```\n\n```\n1\n```',
    ],
    [
      'JSON with escapes',
      '{"name":"Caf\\u00e9 \\"Farol\\"","open":true,"note":null,"tags":["sea","coffee"],"address":{"city":"Porto","geo":{"lat":41.1}}}',
      'name: Café "Farol"\nopen: true\ntags: sea, coffee\ncity: Porto\nlat: 41.1',
    ],
    ['JSON with lines in a text', '[{"q":"Open?","a":"From nine\\nto five."}]', 'q: Open? | a: From nine\nto five.'],
    [
      'a list of records',
      '[{"name":"Dog","price":3,"to":{"pier":2}},{"name":"Cat","price":2}]',
      'name: Dog | price: 3 | to.pier: 2\nname: Cat | price: 2',
    ],
    ['lines of JSON', '{"name":"Dog"}\n{"name":"Cat"}\n', 'name: Dog\nname: Cat'],
    [
      'JSON with a file in it',
      JSON.stringify({ name: 'Dog', photo: `data:image/png;base64,${'iVBORw0KGgo'.repeat(50)}` }),
      'name: Dog',
    ],
    [
      'XML with the root of an office file, of somebody else',
      '<?xml version="1.0"?><package><name>Dog</name></package>',
      'name: Dog',
    ],
    ['text that only begins like JSON', '[Note] The pier is closed.', '[Note] The pier is closed.'],
    [
      'XML of records',
      '<?xml version="1.0"?><shop xmlns="urn:s"><product id="7"><name>Boots &amp; bait</name><price currency="EUR">12</price></product><product id="8"><name><![CDATA[Rope <5 m>]]></name></product></shop>',
      'id: 7 | name: Boots & bait | currency: EUR | price: 12\nid: 8 | name: Rope <5 m>',
    ],
    [
      'a feed',
      '<rss version="2.0"><channel><title>News</title><item><title>Storm</title><pubDate>Mon, 02 Mar 2026</pubDate><description>&lt;p&gt;No &lt;b&gt;ferry&lt;/b&gt; today.&lt;/p&gt;</description></item></channel></rss>',
      'Mon, 02 Mar 2026\n\nNo ferry today.',
    ],
  ])('%s', async (_name, words, expected) => {
    expect(textOf(await read(words))).toBe(expected);
  });

  test('a drawing (SVG) is refused by name', async () => {
    const drawing = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><text>Farol</text></svg>';
    await expect(read(drawing)).rejects.toThrow('It is a picture or a film');
  });

  test.each([
    ['JSON that nests without end', '['.repeat(100_000) + ']'.repeat(100_000), /too deeply nested|damaged|\[/],
    ['a calendar that is never closed', `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(50_000)}`, /no text/],
    [
      'XML that nests without end',
      `<?xml version="1.0"?>${'<a>'.repeat(50_000)}`,
      /^The file is too deeply nested to be read/,
    ],
  ])('%s ends with a reason', async (_name, words, reason) => {
    await expect(read(words).then(textOf)).rejects.toThrow(reason);
  });

  test.each([
    ['Workbook', '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>', '.xlsx'],
    ['pkg:package', '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"/>', '.docx'],
    ['w:wordDocument', '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>', '.docx'],
    ['office:document', '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>', '.odt'],
  ])('%s, an office file as XML, is refused by name', async (_name, xml, save) => {
    await expect(read(`<?xml version="1.0"?>${xml}`)).rejects.toThrow(save);
  });
});
