/** What visitors of the demo shop say and hear: visitor first, then in turn. `{name}` and `{email}` are the visitor's. */
export type Dialogue = { agent: 'guide' | 'support' | 'trips' | 'handbook'; lines: string[]; lead?: boolean };

export const dialogues: Dialogue[] = [
  {
    agent: 'support',
    lines: [
      'How long do I have to return a jacket?',
      'You may return it within 45 days of delivery, unworn and with its tags [1].',
      'And who pays for the parcel?',
      'We do: the parcel holds a prepaid label [1].',
    ],
  },
  {
    agent: 'support',
    lines: [
      'Do you ship to Portugal?',
      'Yes. Orders to Portugal arrive in 4 to 6 working days [1].',
      'Thanks!',
      'You are welcome.',
    ],
  },
  {
    agent: 'support',
    lines: [
      'The zip of my tent broke after a year. Is that covered?',
      'Yes: tents have a warranty of five years, zips included. Send us a photo and the order number [1].',
      'Order 20817, the photo follows by email.',
      'Thank you. A colleague will write to you within one working day.',
    ],
  },
  {
    agent: 'support',
    lines: [
      'Can I speak to a person?',
      'Of course. I have asked a colleague to join; they answer on weekdays from 9 to 18.',
    ],
  },
  {
    agent: 'guide',
    lines: [
      'Which sleeping bag is right for 0 °C?',
      'For nights around freezing take one with a comfort temperature of -3 °C, such as the Serra 400 [1].',
      'Is it down or synthetic?',
      'Down, 650 fill power, 980 g. The synthetic one, Serra Dry, weighs 1,350 g and dries faster [1].',
      'I take the down one.',
      'Good choice. You find it under Sleeping bags, and it ships today.',
    ],
  },
  {
    agent: 'guide',
    lines: [
      'Preciso de uma barraca para duas pessoas, até 2 kg.',
      'A Brisa 2 pesa 1,8 kg, tem duas portas e aguenta ventos de 90 km/h [1].',
      'Quanto tempo leva para montar?',
      'Cerca de cinco minutos: são três varas e o teto já vem preso [1].',
    ],
  },
  {
    agent: 'guide',
    lines: ['Do your boots run small?', 'They run true to size. If you wear thick socks, take half a size more [1].'],
  },
  {
    agent: 'trips',
    lead: true,
    lines: [
      'I would like to join a guided hike in October.',
      'Wonderful! We have three in October. What is your name, and where may I write to?',
      'I am {name}, {email}',
      'Thank you, {name}. I have noted it, and our guide will write to you with the dates.',
    ],
  },
  {
    agent: 'trips',
    lead: true,
    lines: [
      'Vocês fazem travessias na Serra da Mantiqueira?',
      'Sim, de abril a setembro, com grupos de até oito pessoas. Como você se chama?',
      'Meu nome é {name}. Meu e-mail é {email}',
      'Obrigado, {name}! Um guia vai te escrever.',
      'Qual é o preço?',
      'A partir de R$ 1.290 por pessoa, com refeições e transporte [1].',
    ],
  },
  {
    agent: 'trips',
    lines: [
      'What should I bring for a two-day hike?',
      'Boots, a rain jacket, two litres of water and a warm layer. We bring tents and stoves [1].',
    ],
  },
  {
    agent: 'handbook',
    lines: ['How many days of leave do I have?', 'Thirty calendar days a year, of which ten may be taken apart [1].'],
  },
  {
    agent: 'handbook',
    lines: [
      'Who approves travel?',
      'Your team lead, up to R$ 3,000; above that, finance [1].',
      'And where do I send receipts?',
      'To expenses@aurora.example within fifteen days of the trip [1].',
    ],
  },
];

export const visitors = [
  'Beatriz Almeida',
  'João Pereira',
  'Sofia Martins',
  'Lucas Ferreira',
  'Mariana Costa',
  'Pedro Oliveira',
  'Laura Schmidt',
  'Emma Johansson',
  'Noah Williams',
  'Camila Rojas',
  'Mateo Fernández',
  'Isabela Rocha',
  'Rafael Souza',
  'Olivia Brown',
  'Gabriel Lima',
  'Helena Dias',
  'Thiago Ramos',
  'Amélie Laurent',
  'Daniel Kim',
  'Yara Nascimento',
  'Victor Hugo Prado',
  'Clara Mendes',
  'Bruno Teixeira',
  'Alice Moreau',
  'Felipe Andrade',
  'Nina Kowalska',
  'Otávio Campos',
  'Lívia Barros',
];
