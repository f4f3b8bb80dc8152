import { describe, expect, test } from 'vitest';
import { captureContact } from '../../src/model/capture/capture.ts';
import { growth } from '../support/random/growth.ts';

describe('what a visitor says of themself is captured', () => {
  test.each([
    ["I'm Ana Souza, ana@example.com", { name: 'Ana Souza', email: 'ana@example.com' }],
    ['My name is ana', { name: 'Ana' }],
    ['Just call me Ana', { name: 'Ana' }],
    ["My name's O'Brien", { name: "O'Brien" }],
    ["Hi, I'm Ana.", { name: 'Ana' }],
    ['My name is John D. Smith and I need help', { name: 'John D. Smith' }],
    ['me chamo joão pedro e quero comprar', { name: 'João Pedro' }],
    ['Meu nome é Ana Paula da Silva. Tel: (11) 98765-4321', { name: 'Ana Paula da Silva', phone: '+5511987654321' }],
    ['Sou a Maria, quero saber do pedido', { name: 'Maria' }],
    ['me llamo María José Pérez y mi correo es MJ@Ejemplo.es.', { name: 'María José Pérez', email: 'mj@ejemplo.es' }],
    ['Mi nombre es Luis', { name: 'Luis' }],
    ['Soy Luis Vega, 11 98765-4321', { name: 'Luis Vega', phone: '+5511987654321' }],
    ['Oi\nAna Souza\nana@x.com', { name: 'Ana Souza', email: 'ana@x.com' }],
    ['Nome: Rui Costa\nEmail: rui@x.pt', { name: 'Rui Costa', email: 'rui@x.pt' }],
    ['reach me at a.b+c@mail.example.co.uk, thanks', { email: 'a.b+c@mail.example.co.uk' }],
    ['+44 20 7946 0958', { phone: '+442079460958' }],
    ['call me: (202) 555-0143', { phone: '+12025550143' }],
    ['11987654321', { phone: '+5511987654321' }],
  ])('%s', (text, contact) => expect(captureContact(text)).toEqual(contact));
});

describe('what is in doubt is left out', () => {
  test.each([
    "I'm Looking for shoes",
    'Please call me back tomorrow.',
    'call me later',
    'Call me ASAP!',
    'call me when ready',
    'This is Great!',
    'I am Vegetarian.',
    'I am Brazilian',
    "I'm from Brazil",
    'soy brasileño',
    'My name is spelled wrong',
    'My name is not on the list',
    'meu nome não aparece',
    'pedido 11987654321',
    'order #11987654321',
    'CPF 529.982.247-25',
    'meu cpf é 52998224725',
    'CNPJ 12.345.678/0001-95',
    'it costs R$ 1.198.765,43',
    '2026-01-15 10:00',
    'https://example.com/11987654321',
    '98765-4321',
    'user@localhost',
    'a@b',
    '',
  ])('%s', (text) => expect(captureContact(text)).toEqual({}));

  test.each<[string, (length: number) => string]>([
    ['a@', (length) => 'a@'.repeat(length)],
    ['names', (length) => 'Ana '.repeat(length / 2)],
    ['blanks', (length) => `name:${' '.repeat(2 * length)}`],
    ['numbers', (length) => '1-'.repeat(length)],
    ['a host without end', (length) => `${'a.'.repeat(length)}@x`],
  ])('twice as much text that was made to be slow takes twice as long: %s', async (_name, text) => {
    expect(await growth(16_000, (length) => captureContact(text(length)))).toBeLessThan(5);
  });

  test.each(['1.', '1 2 ', '(1)', '+1 '])(
    'a text of numbers that are no phone numbers is given up: %j',
    async (part) => {
      const text = (length: number) => part.repeat(length / part.length);
      expect(await growth(48_000, (length) => captureContact(text(length)), 0.6)).toBeLessThan(0.6);
    },
  );

  test('a phone number is found after a long list of other numbers', () => {
    const list = Array.from({ length: 100 }, (_, index) => `${index + 1}. Item ${index}: R$ ${index * 10},90`);
    expect(captureContact(`${list.join('\n')}\n(11) 98765-4321`)).toEqual({ phone: '+5511987654321' });
  });
});
