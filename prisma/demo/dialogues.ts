import type { Dialogue } from './cast.ts';
import { refunds } from './refunds.ts';

export const dialogues: Dialogue[] = [
  {
    agent: 'support',
    turns: [
      [
        'How long do I have to return a jacket?',
        {
          text: 'You may return it within 45 days of delivery, unworn and with its tags [1].',
          quote: 'You may return it within 45 days of delivery, unworn and with its tags.',
        },
      ],
      [
        'And who pays for the return parcel?',
        { text: 'We do: the parcel holds a prepaid label [1].', quote: 'The parcel holds a prepaid label' },
      ],
    ],
  },
  {
    agent: 'support',
    turns: [
      [
        'Do you ship to Portugal?',
        {
          text: 'Yes. Orders to Portugal arrive in 4 to 6 working days [1].',
          quote: 'to Portugal and Spain in 4 to 6',
        },
      ],
      ['Thanks!', 'You are welcome.'],
    ],
  },
  {
    agent: 'support',
    turns: [
      [
        'What does shipping cost?',
        {
          text: 'It is free from R$ 250; below that it costs R$ 19.90 [1].',
          quote: 'Shipping is free from R$ 250; below that it costs R$ 19.90.',
        },
      ],
    ],
  },
  {
    agent: 'support',
    turns: [
      [
        'The zip of my tent broke after a year. Is that covered by the warranty?',
        {
          text: 'Yes: tents have a warranty of five years, zips included. Send us a photo and the order number [1].',
          quote: 'Tents have a warranty of five years, zips, poles and seams included.',
        },
      ],
      ['Order 20817, the photo follows by email.', 'Thank you. A colleague will write to you within one working day.'],
    ],
  },
  {
    agent: 'support',
    waits: true,
    turns: [
      [
        'Can I speak to a person?',
        'Of course. I have asked a colleague to join; they answer on weekdays from 9 to 18.',
      ],
    ],
  },
  ...refunds,
  {
    agent: 'support',
    turns: [
      [
        'Do you sell gift cards?',
        { text: 'I do not know that. A colleague can help you on weekdays from 9 to 18.', gap: true },
      ],
    ],
    person: 'Yes: gift cards from R$ 50 to R$ 1,000, sent by e-mail within an hour. They are valid for two years.',
  },
  {
    agent: 'support',
    turns: [
      [
        'Do you sell gift cards for birthdays?',
        { text: 'I do not know that. A colleague can help you on weekdays from 9 to 18.', gap: true },
      ],
    ],
  },
  {
    agent: 'support',
    turns: [
      [
        'Can I pay in instalments by boleto?',
        { text: 'I do not know that. A colleague can help you on weekdays from 9 to 18.', gap: true },
      ],
    ],
  },
  {
    agent: 'guide',
    turns: [
      [
        'Which sleeping bag is comfortable down to -3 °C?',
        {
          text: 'The Serra 400: it is filled with down and keeps you comfortable down to -3 °C [1].',
          quote: 'keeps you comfortable down to -3 °C',
        },
      ],
      [
        'How heavy is the synthetic Serra Dry?',
        { text: 'It weighs 1,350 g, and dries fast [1].', quote: 'The Serra Dry is synthetic, weighs 1,350 g' },
      ],
      ['I take the down one.', 'Good choice. You find it under Sleeping bags, and it ships today.'],
    ],
  },
  {
    agent: 'guide',
    turns: [
      [
        'Qual é o peso da barraca Brisa 2?',
        {
          text: 'A Brisa 2 pesa 1,8 kg, tem duas portas e aguenta ventos de 90 km/h [1].',
          quote: 'The Brisa 2 weighs 1.8 kg, has two doors, stands winds of 90 km/h',
        },
      ],
      [
        'Quanto tempo leva para montar a Brisa 2?',
        { text: 'Cerca de cinco minutos, com três varas [1].', quote: 'is pitched in five minutes on three poles' },
      ],
    ],
  },
  {
    agent: 'guide',
    turns: [
      [
        'Do your boots run small?',
        {
          text: 'They run true to size. If you wear thick socks, take half a size more [1].',
          quote: 'Our boots run true to size.',
        },
      ],
    ],
  },
  {
    agent: 'guide',
    lead: true,
    weight: 4,
    turns: [
      [
        'Which tent takes four people?',
        { text: 'The Brisa 4, which weighs 3.4 kg [1].', quote: 'The Brisa 4 takes four people and weighs 3.4 kg.' },
      ],
      [
        'Please write to me when it is on sale: {name}, {email}',
        'Gladly, {name}. You hear from us when the Brisa 4 is on sale.',
      ],
    ],
  },
  {
    agent: 'guide',
    turns: [['Do you rent crampons?', { text: 'I do not know that. Shall I ask a colleague?', gap: true }]],
    person: 'We rent crampons for R$ 35 a day in the shop in São Paulo. Bring your boots, so that we can fit them.',
  },
  {
    agent: 'trips',
    lead: true,
    weight: 6,
    turns: [
      [
        'I would like to join a guided hike in October. When are they?',
        {
          text: 'We have three in October, in the Chapada Diamantina [1]. What is your name, and where may I write to?',
          quote: 'three in October in the Chapada Diamantina',
        },
      ],
      ['I am {name}, {email}', 'Thank you, {name}. I have noted it, and our guide will write to you with the dates.'],
    ],
  },
  {
    agent: 'trips',
    lead: true,
    weight: 6,
    turns: [
      [
        'Vocês fazem travessias na Serra da Mantiqueira?',
        {
          text: 'Sim, de abril a setembro, com grupos de até oito pessoas [1]. Como você se chama?',
          quote: 'From April to September in the Serra da Mantiqueira',
        },
      ],
      ['Meu nome é {name}. Meu e-mail é {email}', 'Obrigado, {name}! Um guia vai te escrever.'],
      [
        'What does a guided hike cost?',
        {
          text: 'From R$ 1,290 for each person, with meals and transport [1].',
          quote: 'From R$ 1,290 for each person, with meals and transport.',
        },
      ],
    ],
  },
  {
    agent: 'trips',
    turns: [
      [
        'What do I bring to a two-day hike?',
        {
          text: 'Boots, a rain jacket, two litres of water and a warm layer. We bring tents and stoves [1].',
          quote: 'Boots, a rain jacket, two litres of water and a warm layer.',
        },
      ],
    ],
  },
  {
    agent: 'trips',
    turns: [['Are dogs allowed?', { text: 'I do not know that. I have noted it for our guides.', gap: true }]],
  },
  {
    agent: 'handbook',
    turns: [
      [
        'How many days of leave do I have a year?',
        {
          text: 'Thirty calendar days a year, of which ten may be taken apart [1].',
          quote: 'Everybody has thirty calendar days of leave a year',
        },
      ],
    ],
  },
  {
    agent: 'handbook',
    turns: [
      [
        'Who approves travel?',
        {
          text: 'Your team lead, up to R$ 3,000; above that, finance [1].',
          quote: 'Your team lead approves travel up to R$ 3,000',
        },
      ],
      [
        'And where do I send receipts?',
        {
          text: 'To expenses@aurora.example within fifteen days of the trip [1].',
          quote: 'Send receipts to expenses@aurora.example within fifteen days of the trip.',
        },
      ],
    ],
  },
  {
    agent: 'handbook',
    turns: [
      [
        'How do I request a new laptop?',
        { text: 'The handbook does not say that. Please ask your team lead.', gap: true },
      ],
    ],
  },
];
