import { describe, expect, test } from 'vitest';
import { extractFile, textOf } from '../support/knowledge/extract-source.ts';

const headers = [
  'Received: from post.example by inn.example; Mon, 02 Nov 2026 09:00:00 +0000',
  'From: =?utf-8?Q?Dagny_H=C3=B8lm?= <dagny@inn.example>',
  'To: Guests <guests@inn.example>, harbour@inn.example',
  'Subject: =?utf-8?B?U2F1bmEg4oCTIG5ldyBob3Vycw==?=',
  'Date: Mon, 02 Nov 2026 09:00:00 +0000',
  'MIME-Version: 1.0',
];
const mail = (lines: string[]) => Buffer.from([...headers, ...lines].join('\r\n'));

describe('an e-mail', () => {
  test('is read with who wrote to whom, and told its attachments', async () => {
    const read = await extractFile(
      mail([
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'The sauna of the caf=E9 opens at four.',
        '--b',
        'Content-Type: application/pdf; name="plan.pdf"',
        'Content-Disposition: attachment; filename="plan.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        'JVBERi0=',
        '--b--',
      ]),
    );
    expect(read.title).toBe('Sauna – new hours');
    expect(read.sections.map(({ heading }) => heading)).toEqual(['Sauna – new hours', 'Sauna – new hours']);
    expect(textOf(read)).toBe(
      'From: Dagny Hølm <dagny@inn.example>\nTo: Guests <guests@inn.example>, harbour@inn.example\n' +
        'Date: 2026-11-02T09:00:00.000Z\nThe sauna of the café opens at four.',
    );
    expect(read.warnings).toEqual(['1 attachment is not read: plan.pdf']);
  });

  test('is read with the text of its attachments, and of those of the e-mails in it', async () => {
    const attached = (name: string, lines: string[], encoding = '8bit') => [
      '--b',
      `Content-Type: application/octet-stream; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      ...lines,
    ];
    const inner = [...headers, 'Content-Type: text/html', '', '<h1>Pool</h1><p>It is cold.</p>'];
    const parts = [
      ...attached('rules.md', ['# Towels', '', 'Bring two.']),
      ...attached('before.eml', inner),
      ...attached('a.zip', ['UEsDBA=='], 'base64'),
    ];
    const read = await extractFile(mail(['Content-Type: multipart/mixed; boundary=b', '', ...parts, '--b--']));
    expect(read.sections.slice(1).map(({ heading, text }) => [heading, text])).toEqual([
      ['rules.md › Towels', 'Bring two.'],
      ['before.eml › Sauna – new hours', expect.stringContaining('From: Dagny Hølm')],
      ['before.eml › Pool', 'It is cold.'],
    ]);
    expect(read.warnings).toEqual(['1 attachment is not read: a.zip']);
  });

  test('in HTML is read by its markup', async () => {
    const read = await extractFile(mail(['Content-Type: text/html', '', '<h1>Hours</h1><p>From <b>four</b>.</p>']));
    expect(read.sections[1]).toEqual({ heading: 'Hours', text: 'From four.' });
    expect(read.warnings).toBeUndefined();
  });

  test('is not what only looks like one', async () => {
    const notes = 'From: the cook\nTwo eggs a person.\n\nDate: Monday';
    expect(textOf(await extractFile(Buffer.from(notes)))).toBe(notes);
  });

  test('whose parts nest without end, or whose headers do not, ends with a reason', async () => {
    const nested = Array.from({ length: 500 }, (_, index) => [
      `Content-Type: multipart/mixed; boundary=b${index}`,
      '',
      `--b${index}`,
    ]).flat();
    await expect(extractFile(mail(nested))).rejects.toThrow('The e-mail could not be read: it is damaged');
    const endless = mail([`X-Long: ${'a '.repeat(1_000_000)}`, '', 'Words.']);
    await expect(extractFile(endless)).rejects.toThrow('The e-mail could not be read: it is damaged');
  });
});

describe('a mailbox', () => {
  const letter = (subject: string, lines: string[]) => [
    'From dagny@inn.example Mon Nov  2 09:00:00 2026',
    'From: Dagny <dagny@inn.example>',
    `Subject: ${subject}`,
    'Date: Mon, 02 Nov 2026 09:00:00 +0000',
    ...lines,
    '',
  ];
  const mailbox = (end: string, ...letters: string[][]) => Buffer.from(letters.flat().join(end));
  const pool = letter('Pool', ['Content-Transfer-Encoding: base64', '', Buffer.from('It is cold.').toString('base64')]);

  test.each(['\n', '\r\n'])('is read e-mail by e-mail, as each says (%j)', async (end) => {
    const sauna = letter('Sauna', ['', 'It opens at four.', '>From the pier, go left.', '>>From here, right.']);
    const { title, sections, warnings } = await extractFile(mailbox(end, sauna, pool));
    expect(title).toBeUndefined();
    expect(sections.filter((_, at) => at % 2 === 1)).toEqual([
      { heading: 'Sauna', text: 'It opens at four.\nFrom the pier, go left.\n>From here, right.' },
      { heading: 'Pool', text: 'It is cold.' },
    ]);
    expect(sections[0]?.text).toBe('From: Dagny <dagny@inn.example>\nDate: 2026-11-02T09:00:00.000Z');
    expect(warnings).toBeUndefined();
  });

  test('is read without an e-mail that is damaged, and without those after the 5,000th, and says so', async () => {
    const damaged = letter('Bad', ['Content-Type: text/html', '', '<div>'.repeat(3_000)]);
    const { sections, warnings } = await extractFile(mailbox('\n', damaged, ...Array(5_001).fill(pool)));
    expect(sections).toHaveLength(2 * 4_999);
    expect(warnings).toEqual(['2 e-mails are not read: split the mailbox', '1 e-mail could not be read']);
  });

  test.each(['From Monday 2026\nThe sauna opens at four.', `From ${'2024 '.repeat(60_000)}\nNote: it is closed.`])(
    'is not what only begins with From (%#)',
    async (text) => {
      expect(textOf(await extractFile(Buffer.from(text)))).toContain(text.slice(-20));
    },
  );

  test('keeps a line of a text that looks like the beginning of an e-mail', async () => {
    const lines = ['From Monday 4 Jan 09:00 2026 on', 'Note: the office is closed.', 'Bring keys.'];
    const { sections } = await extractFile(mailbox('\n', letter('Office', ['', 'Hello', '', ...lines]), pool));
    expect(sections.map(({ heading }) => heading)).toEqual(['Office', 'Office', 'Pool', 'Pool']);
    expect(sections[1]?.text).toBe(['Hello', '', ...lines].join('\n'));
  });

  test('warns ten times, and says how often more', async () => {
    const picture = [
      'Content-Type: image/png',
      'Content-Disposition: attachment; filename=a.png',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgo=',
    ];
    const { warnings } = await extractFile(mailbox('\n', pool, ...Array(12).fill(letter('Plan', picture))));
    expect(warnings).toEqual([...Array(10).fill('Plan: 1 attachment is not read: a.png'), '2 more warnings']);
  });
});

test('a page that a browser has saved is read as the page, without its styles and menus', async () => {
  const saved = [
    'From: <Saved by Blink>',
    'Snapshot-Content-Location: https://inn.example/sauna',
    'Subject: Sauna',
    'Date: Mon, 2 Nov 2026 09:00:00 -0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; type="text/html"; boundary="--M"',
    '',
    '----M',
    'Content-Type: text/html',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<title>The sauna</title><meta property=3D"og:image" content=3D"/s.jpg"><nav>Menu</nav><main><h1>Hours</h1><p>From =E2=82=AC3.</p></main>',
    '----M',
    'Content-Type: text/css',
    '',
    'body { color: red }',
    '----M--',
  ];
  expect(await extractFile(Buffer.from(saved.join('\r\n')))).toEqual({
    title: 'The sauna',
    description: 'From €3.',
    img: 'https://inn.example/s.jpg',
    sections: [{ heading: 'Hours', text: 'From €3.' }],
  });
});

test.each([
  ['From: "Saved by the bell" <bell@inn.example>', 'It opens at four.'],
  ['From: Dagny <dagny@inn.example>', 'From: <Saved by Blink>\nSnapshot-Content-Location: https://inn.example'],
])('an e-mail is no saved page for its sender or its text: %s', async (from, text) => {
  const email = [from, 'Date: Mon, 2 Nov 2026 09:00:00 +0000', 'Subject: Bell', '', text];
  expect(textOf(await extractFile(Buffer.from(email.join('\n'))))).toMatch(text.slice(0, 17));
});
