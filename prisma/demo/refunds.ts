import type { Dialogue } from './cast.ts';

/** What visitors ask about refunds, in several wordings, so that a search of messages finds more than one. */
export const refunds: Dialogue[] = [
  {
    agent: 'support',
    weight: 2,
    turns: [
      [
        'Quando recebo o reembolso?',
        {
          text: 'O reembolso chega em até 5 dias úteis depois que recebemos o artigo [1].',
          quote: 'O reembolso chega em até 5 dias úteis',
        },
      ],
      [
        'E se eu paguei com Pix?',
        { text: 'No Pix ele volta para a mesma chave [1].', quote: 'no Pix, ele volta para a mesma chave' },
      ],
    ],
  },
  {
    agent: 'support',
    weight: 1,
    turns: [
      [
        'Devolvi a barraca na segunda-feira. Em quantos dias cai o reembolso no cartão?',
        {
          text: 'O reembolso chega em até 5 dias úteis depois que recebemos o artigo [1].',
          quote: 'O reembolso chega em até 5 dias úteis',
        },
      ],
    ],
  },
  {
    agent: 'support',
    weight: 1,
    turns: [
      [
        'Enviei a jaqueta de volta ontem. Quando o reembolso chega?',
        {
          text: 'O reembolso chega em até 5 dias úteis depois que recebemos o artigo [1].',
          quote: 'O reembolso chega em até 5 dias úteis',
        },
      ],
      [
        'Paguei com Pix.',
        { text: 'No Pix ele volta para a mesma chave [1].', quote: 'no Pix, ele volta para a mesma chave' },
      ],
    ],
  },
  {
    agent: 'support',
    turns: [
      [
        'Quero o reembolso do frete. Vocês devolvem o frete?',
        {
          text: 'Sim, o frete da compra volta junto com o reembolso quando você devolve o pedido inteiro [1].',
          quote: 'O frete da compra volta junto com o reembolso quando o pedido inteiro é devolvido',
        },
      ],
    ],
  },
];
