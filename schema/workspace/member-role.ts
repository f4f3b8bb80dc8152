import { builder } from '../builder.ts';

export const MemberRole = builder.enumType('MemberRole', {
  description: 'The role of a member, from full access to read-only access.',
  values: {
    owner: { description: 'Can do everything, including adding and removing owners.' },
    admin: { description: 'Can do everything except manage owners.' },
    editor: {
      description: 'Can do the day-to-day work: agents, conversations, leads, knowledge bases, plugins, content.',
    },
    viewer: { description: 'Has read-only access.' },
  } as const,
});
