import { expect, test } from 'vitest';
import { storedEmail } from '../../src/core/contacts/emails.ts';
import { storedPhone } from '../../src/core/contacts/phones.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();

/** Numbers as messengers, phones and web pages send them, and as they are dialled. */
const phones: [written: string, stored: string | null][] = [
  // Brazil: mobile numbers have had a 9 more since 2016, which WhatsApp leaves out for the older ones.
  ['+554188887777', '+5541988887777'],
  ['554188887777', '+5541988887777'],
  ['+55 41 8888-7777', '+5541988887777'],
  ['(41) 8888-7777', '+5541988887777'],
  ['554188887777@s.whatsapp.net', '+5541988887777'],
  ['554188887777@c.us', '+5541988887777'],
  ['+5541988887777', '+5541988887777'],
  ['5541988887777', '+5541988887777'],
  ['041988887777', '+5541988887777'],
  ['+55 (041) 98888-7777', '+5541988887777'],
  ['+554133337777', '+554133337777'],
  // Mexico: without the 1 since 2019.
  ['+5215512345678', '+525512345678'],
  ['+521 55 1234 5678', '+525512345678'],
  ['5215512345678', '+525512345678'],
  ['+525512345678', '+525512345678'],
  // Dialled from abroad.
  ['005541988887777', '+5541988887777'],
  ['0055 41 98888-7777', '+5541988887777'],
  ['00 55 41 8888 7777', '+5541988887777'],
  ['00442079460958', '+442079460958'],
  ['+44 (0)20 7946 0958', '+442079460958'],
  // Links.
  ['tel:+5541988887777', '+5541988887777'],
  ['TEL:+55-41-98888-7777;ext=5', '+5541988887777'],
  ['sms:+5541988887777', '+5541988887777'],
  ['whatsapp:+554188887777', '+5541988887777'],
  ['https://wa.me/5541988887777', '+5541988887777'],
  // Copied, with marks of direction.
  ['\u202a+5541988887777\u202c', '+5541988887777'],
  ['\u200e+55 41 98888-7777', '+5541988887777'],
  ['\u2066+1 202 555 0143\u2069', '+12025550143'],
  ['\ufeff+5541988887777', '+5541988887777'],
  ['＋5541988887777', '+5541988887777'],
  ['+٩٦٦٥٠١٢٣٤٥٦٧', '+966501234567'],
  // Argentina's two forms are two numbers to a network.
  ['+5491123456789', '+5491123456789'],
  // No numbers.
  ['+55418888', null],
  ['+5215512', null],
  ['tel:', null],
  ['call me', null],
  ['00', null],
];
test.each(phones)('the phone %j is stored as %j', (written, stored) => {
  expect(storedPhone(written)).toBe(stored);
});

const emails: [written: string, stored: string][] = [
  ['Ana@Müller.de', 'ana@xn--mller-kva.de'],
  ['ana@MÜLLER.DE', 'ana@xn--mller-kva.de'],
  ['ana@xn--mller-kva.de', 'ana@xn--mller-kva.de'],
  ['ana@XN--MLLER-KVA.de', 'ana@xn--mller-kva.de'],
  ['ana@mu\u0308ller.de', 'ana@xn--mller-kva.de'],
  ['ana@straße.example', 'ana@xn--strae-oqa.example'],
  ['ana@例え.jp', 'ana@xn--r8jz45g.jp'],
  ['ana@пример.рф', 'ana@xn--e1afmkfd.xn--p1ai'],
  ['ana@exam\u200bple.com', 'ana@example.com'],
  ['Ana@Example.com', 'ana@example.com'],
  // The Kelvin sign is not a letter of another person's name.
  ['\u212aim@example.com', '\u212aim@example.com'],
];
test.each(emails)('the email %j is stored as %j', (written, stored) => {
  expect(storedEmail(written)).toBe(stored);
});

test('a lead is found by its email and its phone in each of their forms, over both protocols', async () => {
  const home = await makeWorkspace(gateway);
  const create = 'mutation ($i: CreateLeadInput!) { createLead(input: $i) { lead { id email phone } } }';
  const given = { name: 'Ana', email: 'Ana@Müller.de', phone: '+554188887777' };
  const { lead } = (await gateway.data(home.editor, create, { i: given })).createLead;
  expect(lead).toMatchObject({ email: 'ana@xn--mller-kva.de', phone: '+5541988887777' });
  const find = 'query ($f: LeadFilter) { leads(filter: $f) { nodes { id } } }';
  for (const filter of [
    ...['ana@müller.de', 'ana@xn--mller-kva.de', 'ANA@MÜLLER.DE'].map((email) => ({ email: { equals: email } })),
    ...['+554188887777', '+5541988887777', 'tel:+55-41-98888-7777'].map((phone) => ({ phone: { equals: phone } })),
    { email: { in: ['x@example.com', 'ana@müller.de'] } },
    { phone: { in: ['+12025550143', '00554188887777'] } },
  ]) {
    const { nodes } = (await gateway.data(home.editor, find, { f: filter })).leads;
    expect([filter, nodes]).toEqual([filter, [{ id: lead.id }]]);
  }
  const cyrillic = await gateway.data(home.editor, create, { i: { name: 'Ana', email: 'ana@пример.рф' } });
  expect(cyrillic.createLead.lead.email).toBe('ana@xn--e1afmkfd.xn--p1ai');
  for (const search of ['müller', 'mller-kva', 'пример']) {
    const found = await gateway.data(home.editor, 'query ($s: String) { leads(search: $s) { totalCount } }', {
      s: search,
    });
    expect([search, found.leads.totalCount]).toEqual([search, 1]);
  }
  const { status, body } = await gateway.rest(
    home.app,
    'GET',
    `/rest/leads?email=${encodeURIComponent('ana@müller.de')}`,
  );
  if (status === 200) expect(JSON.stringify(body)).toContain(lead.id);
});

test.each(['ana@', '@müller.de', 'ana@mül ler.de', 'anä@müller.de'])('the email %j is refused', async (email) => {
  const home = await makeWorkspace(gateway);
  const create = 'mutation ($i: CreateLeadInput!) { createLead(input: $i) { lead { id } } }';
  const { errors } = await gateway.graphql(home.editor, create, { i: { name: 'Ana', email } });
  expect(errors?.[0]?.message).toContain('email');
});
