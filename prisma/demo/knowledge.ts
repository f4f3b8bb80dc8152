/** The demo shop's knowledge bases, ingested like any others. */
export const bases = [
  {
    agents: ['support'],
    description: 'Returns, shipping and warranty',
    sources: [
      {
        type: 'faq',
        file: {
          title: 'Questions that customers ask',
          data: {
            items: [
              {
                question: 'How long may I return an article?',
                answer: 'You may return it within 45 days of delivery, unworn and with its tags.',
              },
              {
                question: 'Who pays for the return parcel?',
                answer: 'We do. The parcel holds a prepaid label; bring it to any post office.',
              },
              {
                question: 'Where do you ship to?',
                answer: 'To Brazil in 2 to 4 working days, to Portugal and Spain in 4 to 6, elsewhere in 7 to 12.',
              },
              {
                question: 'What does shipping cost?',
                answer: 'Shipping is free from R$ 250; below that it costs R$ 19.90.',
              },
              {
                question: 'Quando recebo o reembolso?',
                answer:
                  'O reembolso chega em até 5 dias úteis depois que recebemos o artigo: no cartão, na fatura seguinte; no Pix, ele volta para a mesma chave.',
              },
              {
                question: 'Vocês devolvem o frete?',
                answer: 'O frete da compra volta junto com o reembolso quando o pedido inteiro é devolvido.',
              },
              {
                question: 'How do I reach a person?',
                answer: 'Write "person" in the chat on weekdays from 9 to 18, or call +55 11 3090 1212.',
              },
            ],
          },
        },
      },
      {
        type: 'file',
        file: {
          title: 'Warranty',
          ext: 'md',
          data: {
            text: '# Warranty\n\n## Tents\n\nTents have a warranty of five years, zips, poles and seams included.\n\n## Sleeping bags\n\nSleeping bags have a warranty of three years. Washing them with softener ends it.\n\n## Boots\n\nBoots have a warranty of two years on glue and seams. Soles wear down and are not covered; we resole them for R$ 180.\n\n## How to claim\n\nSend a photo and the order number to care@aurora.example. We answer within one working day.',
          },
        },
      },
    ],
  },
  {
    agents: ['guide', 'trips'],
    description: 'Gear guide: tents, sleeping bags and boots',
    sources: [
      {
        type: 'page',
        file: {
          title: 'Gear guide',
          data: {
            html: '<html><head><title>Gear guide</title></head><body><article><h1>Gear guide</h1><h2>Sleeping bags</h2><p>The Serra 400 is filled with 650 fill power down, weighs 980 g and keeps you comfortable down to -3 °C. The Serra Dry is synthetic, weighs 1,350 g, dries fast and is comfortable down to 2 °C.</p><h2>Tents</h2><p>The Brisa 2 weighs 1.8 kg, has two doors, stands winds of 90 km/h and is pitched in five minutes on three poles. The Brisa 4 takes four people and weighs 3.4 kg.</p><h2>Boots</h2><p>Our boots run true to size. With thick socks take half a size more. Break them in over ten days before a long hike.</p></article></body></html>',
          },
        },
      },
      {
        type: 'faq',
        file: {
          title: 'Guided hikes',
          data: {
            items: [
              {
                question: 'When are the guided hikes?',
                answer:
                  'From April to September in the Serra da Mantiqueira, and three in October in the Chapada Diamantina. Groups have at most eight people.',
              },
              {
                question: 'What does a guided hike cost?',
                answer: 'From R$ 1,290 for each person, with meals and transport.',
              },
              {
                question: 'What do I bring to a two-day hike?',
                answer: 'Boots, a rain jacket, two litres of water and a warm layer. We bring tents and stoves.',
              },
            ],
          },
        },
      },
    ],
  },
  {
    agents: ['handbook'],
    description: 'Handbook of the company',
    sources: [
      {
        type: 'file',
        file: {
          title: 'Handbook',
          ext: 'txt',
          data: {
            text: 'Leave\n\nEverybody has thirty calendar days of leave a year, of which ten may be taken apart. Ask your team lead four weeks before.\n\nTravel\n\nYour team lead approves travel up to R$ 3,000; above that, finance does. Send receipts to expenses@aurora.example within fifteen days of the trip.\n\nRemote work\n\nYou may work from anywhere up to three days a week. The office in São Paulo is open from 7 to 21.',
          },
        },
      },
    ],
  },
];
