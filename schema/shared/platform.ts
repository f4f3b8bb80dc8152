import { builder } from '../builder.ts';

export const Platform = builder.enumType('Platform', {
  description: 'Where visitors write from.',
  values: {
    api: { description: 'A program, through this API.' },
    widget: { description: 'The chat on a web page.' },
    whatsapp: { description: 'WhatsApp.' },
    instagram: { description: 'Instagram messages.' },
    messenger: { description: 'Facebook Messenger.' },
    telegram: { description: 'Telegram.' },
    email: { description: 'Email.' },
    slack: { description: 'Slack.' },
  } as const,
});
