import { builder } from './builder.ts';

export const Workspace = builder.prismaNode('Workspace', {
  description: 'A tenant: everything else belongs to one.',
  id: { field: 'id', description: 'The id of the workspace.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ AND: [{ id: viewer.workspaceId }], id }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
  }),
});
