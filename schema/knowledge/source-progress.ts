import type { Context } from '../../src/context.ts';
import { access } from '../../src/core/permissions.ts';
import { watchBase, watchSource } from '../../src/domain/knowledge/source-watch.ts';
import { builder } from '../builder.ts';
import { Source } from './sources.ts';

const until =
  'The stream ends when nothing is being read any more. If it ends earlier, because its gateway stopped, ' +
  'subscribe again.';

const sourceNow = (query: object, id: unknown, _args: object, { database, viewer }: Context) =>
  database.source.findFirst({ ...query, where: { workspaceId: viewer.workspaceId, id: id as string } });

builder.subscriptionField('sourceProgress', (t) =>
  t.prismaField({
    type: Source,
    nullable: true,
    description: `Emits a source at once, and again on each change while it is being read; \`null\` once it was removed. ${until}`,
    args: { sourceId: t.arg.id({ required: true, description: 'ID of the source.' }) },
    extensions: access('bases.read'),
    subscribe: (_root, { sourceId }, context) => watchSource(context, sourceId),
    resolve: sourceNow,
  }),
);

builder.subscriptionField('baseProgress', (t) =>
  t.prismaField({
    type: Source,
    nullable: true,
    description: `Emits each source of a base at once, and again on each change while it is being read; \`null\` for one that was just removed. ${until}`,
    args: { baseId: t.arg.id({ required: true, description: 'ID of the knowledge base.' }) },
    extensions: access('bases.read'),
    subscribe: (_root, { baseId }, context) => watchBase(context, baseId),
    resolve: sourceNow,
  }),
);
