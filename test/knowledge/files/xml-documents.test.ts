import { expect, test } from 'vitest';
import { extractFile } from '../../support/knowledge/extract-source.ts';

const read = (xml: string) => extractFile(Buffer.from(`<?xml version="1.0" encoding="utf-8"?>\n${xml}`));

test.each<[string, string, object]>([
  [
    'DocBook 5',
    '<db:book xmlns:db="http://docbook.org/ns/docbook"><db:info><db:title>Ferries</db:title><db:author><db:personname>Ana</db:personname></db:author></db:info><db:chapter><db:title>Times</db:title><db:para>The ferry <db:emphasis>sails</db:emphasis> at nine<db:indexterm><db:primary>nine</db:primary></db:indexterm>.</db:para><db:orderedlist><db:listitem><db:para>Dogs</db:para></db:listitem><db:listitem><db:para>Cats</db:para></db:listitem></db:orderedlist><db:section><db:title>Prices</db:title><db:informaltable><db:tgroup cols="2"><db:thead><db:row><db:entry>Ticket</db:entry><db:entry>Euros</db:entry></db:row></db:thead><db:tbody><db:row><db:entry>Dog</db:entry><db:entry>3</db:entry></db:row></db:tbody></db:tgroup></db:informaltable><db:programlisting>npm start\n  --now</db:programlisting></db:section></db:chapter></db:book>',
    {
      title: 'Ferries',
      sections: [
        { heading: 'Ferries › Times', text: 'The ferry sails at nine.\n\n1. Dogs\n2. Cats' },
        { heading: 'Ferries › Times › Prices', text: 'Ticket: Dog | Euros: 3\n\nnpm start\n  --now' },
      ],
    },
  ],
  [
    'DocBook 4, with a document type',
    '<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "http://www.oasis-open.org/docbook/xml/4.5/docbookx.dtd"><article><title>Ferries</title><sect1><title>Times</title><para>At nine &amp; ten.</para><note><title>Mind</title><para>Not on Sundays.</para></note></sect1></article>',
    {
      title: 'Ferries',
      sections: [{ heading: 'Ferries › Times', text: 'At nine & ten.\n\nMind\n\nNot on Sundays.' }],
    },
  ],
  [
    'DITA',
    '<task id="t"><title>Board</title><shortdesc>How to board.</shortdesc><prolog><author>Ana</author></prolog><taskbody><steps><step><cmd>Show the <b>ticket</b>.</cmd></step><step><cmd>Go.</cmd></step></steps><simpletable><sthead><stentry>Ticket</stentry><stentry>Euros</stentry></sthead><strow><stentry>Dog</stentry><stentry>3</stentry></strow></simpletable></taskbody></task>',
    {
      title: 'Board',
      description: 'How to board.',
      sections: [{ heading: 'Board', text: 'How to board.\n\n1. Show the ticket.\n2. Go.\nTicket: Dog | Euros: 3' }],
    },
  ],
  [
    'JATS',
    '<article xmlns:mml="http://www.w3.org/1998/Math/MathML"><front><journal-meta><issn>1234-5678</issn></journal-meta><article-meta><article-id>10.1/x</article-id><title-group><article-title>Of ferries</article-title></title-group><contrib-group><contrib><name><surname>Lima</surname></name></contrib></contrib-group><abstract><p>They sail.</p></abstract></article-meta></front><body><sec><title>Times</title><p>The speed is <inline-formula><mml:math><mml:mi>v</mml:mi><mml:mo>=</mml:mo><mml:msup><mml:mn>10</mml:mn><mml:mn>3</mml:mn></mml:msup></mml:math></inline-formula> a day<xref ref-type="bibr">1</xref>.</p></sec></body></article>',
    {
      title: 'Of ferries',
      description: 'They sail.',
      sections: [
        { heading: 'Of ferries', text: 'They sail.' },
        { heading: 'Of ferries › Times', text: 'The speed is v = 10^3 a day1.' },
      ],
    },
  ],
  [
    'TEI',
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Header</title></titleStmt></fileDesc></teiHeader><text><body><div><head>Storm</head><p>No <hi>ship</hi> came.</p><lg><l>One</l><l>two</l></lg></div></body></text></TEI>',
    { title: 'Header', sections: [{ heading: 'Storm', text: 'No ship came.\n\nOne\ntwo' }] },
  ],
  [
    'FictionBook with a table',
    '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><book-title>Ferries</book-title></title-info></description><body><section><title><p>One</p></title><p>Text.</p><table><tr><th>Ticket</th><th>Euros</th></tr><tr><td>Dog</td><td>3</td></tr></table></section></body></FictionBook>',
    { title: 'Ferries', sections: [{ heading: 'One', text: 'Text.\n\nTicket: Dog | Euros: 3' }] },
  ],
  [
    'rows of values, which are none, by their names',
    '<book id="b1"><author>Ann</author><title>Guide</title><price>44.95</price><description><p>Good.</p></description></book>',
    { sections: [{ text: 'id: b1\nauthor: Ann\ntitle: Guide\nprice: 44.95\np: Good.' }] },
  ],
  [
    'an author who is named in a text',
    '<article><sec><title>Times</title><p>By <author>Ann</author>, <math><mi><![CDATA[x]]></mi></math>.</p></sec></article>',
    { sections: [{ heading: 'Times', text: 'By Ann, x.' }] },
  ],
])('a document that is XML is read by its headings, lists and tables: %s', async (_, xml, extracted) => {
  expect(await read(xml)).toEqual('warnings' in extracted ? extracted : expect.objectContaining(extracted));
});

test('one without a declaration is read too, and one of more elements than a page may have', async () => {
  const bytes = (text: string) => Buffer.from(text);
  const tei =
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Storm</head><p>No ship.</p></div></body></text></TEI>';
  expect((await extractFile(bytes(tei))).sections).toEqual([{ heading: 'Storm', text: 'No ship.' }]);
  const long = `<!DOCTYPE article SYSTEM "a.dtd">\n<article><title>T</title>${'<para>One.</para>'.repeat(205_000)}</article>`;
  const [section] = (await extractFile(bytes(long))).sections;
  expect(section?.text.length).toBe(205_000 * 6 - 2);
});

test('an article of HTML with a declaration of XML is a page', async () => {
  const page = '<article><h1>Hello</h1><script>var x = 1;</script><h2>Sub</h2><p>Text.</p></article>';
  expect((await read(page)).sections).toEqual([{ heading: 'Hello › Sub', text: 'Text.' }]);
});

test.each([
  ['an amount', 'Total:\n\n12.50\n---\nPaid.', [{ text: 'Total:\n\n12.50\n---\nPaid.' }]],
  ['a sentence', 'We sail at nine.\n---\nDone.', [{ text: 'We sail at nine.\n---\nDone.' }]],
  ['a title', 'Times\n-----\n\nAt nine.', [{ heading: 'Times', text: 'At nine.' }]],
  ['below another', 'Ferry\n=====\n\nTimes\n---\nAt nine.', [{ heading: 'Ferry › Times', text: 'At nine.' }]],
  ['a rule below a paragraph', 'At nine.\nAt ten.\n---\nDone.', [{ text: 'At nine.\nAt ten.\n---\nDone.' }]],
  ['records', 'name: Dog\n---\nname: Cat', [{ text: 'name: Dog\n---\nname: Cat' }]],
  ['a list', 'Who:\n\n- dogs\n---\nDone.', [{ text: 'Who:\n\n- dogs\n---\nDone.' }]],
])('a line with dashes below it is a heading if it stands alone: %s', async (_, text, sections) => {
  expect((await extractFile(Buffer.from(text))).sections).toEqual(sections);
});
