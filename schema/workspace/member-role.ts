import { builder } from '../builder.ts';

export const MemberRole = builder.enumType('MemberRole', {
  description: 'What a member may do, from everything to looking on.',
  values: {
    owner: { description: 'Everything, the making and removing of owners included.' },
    admin: { description: 'Everything but what concerns owners.' },
    editor: { description: 'The daily work: agents, conversations, leads, bases, plugins, content.' },
    viewer: { description: 'Looking on.' },
  } as const,
});
