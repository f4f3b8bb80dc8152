import { builder } from '../builder.ts';

export const Platform = builder.enumType('Platform', {
  description: 'The platform that visitors write from.',
  values: {
    api: { description: 'A program that uses this API.' },
    widget: { description: 'The chat widget on a web page.' },
    whatsapp: { description: 'WhatsApp.' },
    instagram: { description: 'Instagram messages.' },
    messenger: { description: 'Facebook Messenger.' },
    telegram: { description: 'Telegram.' },
    email: { description: 'Email.' },
    slack: { description: 'Slack.' },
  } as const,
});
