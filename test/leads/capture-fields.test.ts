import { describe, expect, test } from 'vitest';
import { captureFields, type WantedField } from '../../src/model/capture/capture-fields.ts';
import { growth } from '../support/random/growth.ts';

const field = (name: string, type: WantedField['type'], options: string[] = []): WantedField => ({
  name,
  type,
  description: '',
  options,
});
const fields = [
  field('company', 'text'),
  field('site', 'text'),
  field('Orçamento', 'number'),
  field('Budget', 'number'),
  field('Presupuesto', 'number'),
  field('Employees', 'number'),
  field('Plan', 'choice', ['Pro', 'Pro Max', 'Gold', 'No']),
  field('Cores', 'multi_choice', ['Azul', 'Verde', 'Vermelho']),
  field('Documento', 'cpf'),
  field('CNPJ', 'cnpj'),
  field('Newsletter', 'boolean'),
  field('Start date', 'date'),
  field('Cidade', 'text'),
  field('Portfolio', 'url'),
  field('Billing e-mail', 'email'),
];

describe('what a visitor plainly says of a field is captured', () => {
  test.each([
    ['Budget: 5,000.50', { Budget: 5000.5 }],
    ['My budget is $12k.', { Budget: 12_000 }],
    ['meu orçamento é de R$ 5.000,00', { Orçamento: 5000 }],
    ['o ORCAMENTO é 3 mil', { Orçamento: 3000 }],
    ['Mi presupuesto es 1.500', { Presupuesto: 1500 }],
    ['we are 12 employees', { Employees: 12 }],
    ['I take the pro max', { Plan: 'Pro Max' }],
    ['Plan: No', { Plan: 'No' }],
    ["I don't want Gold, I want Pro", { Plan: 'Pro' }],
    ['Quiero el plan Gold', { Plan: 'Gold' }],
    ['no quiero Gold', {}],
    ['Quero azul e vermelho, não verde', { Cores: ['Azul', 'Vermelho'] }],
    ['529.982.247-25', { Documento: '529.982.247-25' }],
    ['meu CPF é 52998224725', { Documento: '52998224725' }],
    ['CNPJ 12.ABC.345/01DE-35', { CNPJ: '12.ABC.345/01DE-35' }],
    ['o cnpj é 12abc34501de35', { CNPJ: '12abc34501de35' }],
    ['Newsletter: sim', { Newsletter: true }],
    ['newsletter: no thanks', { Newsletter: false }],
    ['Start date: 31/07/2026', { 'Start date': '2026-07-31' }],
    ['my start date is 2026-07-31', { 'Start date': '2026-07-31' }],
    ['Empresa: Acme Ltda, cidade: São Paulo', { company: 'Acme Ltda', Cidade: 'São Paulo' }],
    ['Minha cidade é Belo Horizonte, e o resto depois', { Cidade: 'Belo Horizonte' }],
    ['our site is acme.com.br, see it', { site: 'acme.com.br' }],
    ['my company is Acme, Inc. and we sell', { company: 'Acme' }],
    ['Website: acme.com.br', { site: 'acme.com.br' }],
    ['Portfolio: https://ana.example/work.', { Portfolio: 'https://ana.example/work' }],
    ['Billing e-mail: Bia@x.com', { 'Billing e-mail': 'bia@x.com' }],
  ])('%s', (text, values) => expect(captureFields(text, fields)).toEqual(values));

  test.each(['😀', '👨‍👩‍👧‍👦', 'é', '🇧🇷', '𝒳'])(
    'with %s at the end of what is kept, whole or not at all',
    (character) => {
      for (let before = 190; before <= 200; before++) {
        const kept = captureFields(`Empresa: ${'x'.repeat(before)}${character.repeat(20)}`, fields).company;
        const rest = String(kept).slice(before);
        expect(character.repeat(20).startsWith(rest) && rest.length % character.length === 0, rest).toBe(true);
      }
    },
  );
});

describe('what is in doubt is left out', () => {
  test.each([
    'What is the budget?',
    'My budget is 10-15k',
    'meu orçamento é de 10 a 15 mil',
    'My company is hiring',
    'the company is closed today',
    'a cidade é linda',
    'Do you have Gold?',
    'Gold or Pro',
    '529.982.247-26',
    '52998224725',
    '12.ABC.345/01DE-36',
    'a cidade e o prazo',
    'Plan: Silver',
    'Newsletter: perhaps',
    'Start date: 31/31/2026',
    'Is my cidade: Porto?',
    'Budgets: 5000',
    '',
  ])('%s', (text) => expect(captureFields(text, fields)).toEqual({}));

  test('names are no patterns', () => {
    const odd = [...fields, field('a.*(b', 'text'), field('  ', 'text')];
    expect(captureFields('a.*(b: yes', odd)).toEqual({ 'a.*(b': 'yes' });
  });

  test.each(['Budget: ', '1.', 'gold ', ' '])(
    'twice as much text that was made to be slow takes twice as long: %j',
    async (part) => {
      expect(await growth(32_000, (length) => captureFields(part.repeat(length / part.length), fields))).toBeLessThan(
        5,
      );
    },
  );

  test('a message is folded once, however many fields are looked for', async () => {
    const text = 'I would like to know more, please. '.repeat(400);
    const many = (count: number) => Array.from({ length: count }, (_, index) => field(`Field ${index}`, 'text'));
    expect(await growth(64, (count) => captureFields(text, many(count)), 0.7)).toBeLessThan(0.7);
  });
});
