import { value } from '../../src/core/value-kinds.ts';
import {
  baseList,
  createBase,
  deleteBase,
  reindexBase,
  updateBase,
} from '../../src/domain/knowledge/knowledge-bases.ts';
import { complexity } from '../../src/graphql/price/index.ts';
import { AgentList } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { rowById } from '../shared/row-by-id.ts';
import { actorFields } from '../workspace/actors.ts';
import { SourceInput } from './source-mutations.ts';
import { PassageList, SourceList } from './sources.ts';

const BaseStatus = builder.enumType('BaseStatus', {
  description: 'The reading status of the sources of a knowledge base.',
  values: {
    in_progress: { description: 'A source is being read.' },
    succeeded: { description: 'All sources were read.' },
    partial: { description: 'Some sources were read, others failed.' },
    failed: { description: 'All sources failed.' },
  } as const,
});

const Base = builder.prismaNode('Base', {
  description: 'A knowledge base: a collection of sources that agents answer from.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the knowledge base, the same in REST.' },
  nullable: true,
  findUnique: rowById('Base'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the knowledge base belongs to.' }),
    description: t.exposeString('description', { description: 'The topic of the knowledge base.' }),
    status: t.expose('status', { type: BaseStatus, description: 'The reading status of its sources.' }),
    records: t.exposeInt('records', { extensions: value('count'), description: 'Number of searchable passages.' }),
    createdBy: t.exposeID('createdBy', {
      nullable: true,
      description: 'ID of the user, app or key that created the knowledge base.',
    }),
    updatedBy: t.exposeID('updatedBy', {
      nullable: true,
      description: 'ID of the user, app or key that last updated the knowledge base.',
    }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the knowledge base was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the knowledge base was last updated, by a person or by the reading of its sources.',
    }),
    workspace: t.relation('workspace', { description: 'The workspace that the knowledge base belongs to.' }),
    sources: relatedConnection(t, 'sources', SourceList, {
      description: 'The sources of the knowledge base, newest first.',
    }),
    allSources: t.relation('sources', {
      description: 'All sources of the knowledge base at once, oldest first. For knowledge bases known to be small.',
      extensions: complexity({ multiplier: 50 }),
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
    passages: relatedConnection(t, 'passages', PassageList, {
      description: 'The searchable passages of the knowledge base.',
    }),
    agents: relatedConnection(t, 'agentBases', AgentList, {
      description: 'The agents that answer from the knowledge base.',
      through: 'agent',
    }),
  }),
});

export const BaseList = defineList(Base, 'Base', baseList, {
  orders: { createdAt: 'When the knowledge base was created.', updatedAt: 'When the knowledge base was last updated.' },
  filter: {
    status: { type: BaseStatus, description: 'Knowledge bases with this status.' },
    createdAt: { description: 'Knowledge bases created in this time range.' },
    agentId: { type: 'ID', description: 'Knowledge bases that this agent answers from.' },
    ids: { type: 'ID', description: 'Knowledge bases with one of these IDs.' },
    description: { description: 'The topic of the knowledge base.' },
    records: { description: 'Number of searchable passages.' },
    updatedAt: { description: 'Knowledge bases last updated in this time range.' },
  },
  search: 'Text to search for in the description and the content. Case and accents are ignored.',
  groups: {
    moments: {
      createdAt: 'When the knowledge base was created.',
      updatedAt: 'When the knowledge base was last updated.',
    },
    by: { status: { type: BaseStatus, description: 'The reading status of its sources.' } },
    numbers: { records: 'Number of searchable passages.' },
  },
});

builder.prismaObjectField('Agent', 'bases', (t) =>
  relatedConnection(t, 'agentBases', BaseList, {
    description: 'The knowledge bases that the agent answers from.',
    through: 'base',
  }),
);

builder.queryFields((t) => ({
  bases: rootConnection(t, BaseList, 'The knowledge bases of the workspace, newest first.'),
  base: rootRow(t, BaseList, 'Returns a knowledge base by ID.'),
}));

const baseFields = (t: InputBuilder, sources: string) => ({
  description: t.string({ required: true, description: 'The topic of the knowledge base.' }),
  sources: t.field({ type: [SourceInput], required: true, description: sources }),
});
const payload = { field: 'base', type: Base, description: 'The knowledge base after the change.' };

rowMutation('createBase', {
  description: 'Creates a knowledge base. Its sources are read in the background.',
  payload,
  expensive: true,
  input: (t) => baseFields(t, 'The sources of the knowledge base, 1 to 50.'),
  permission: 'bases.write',
  resolve: (context, input) => createBase(context, input),
});

rowMutation('updateBase', {
  updates: { model: 'Base' },
  description:
    'Updates the description of a knowledge base, and updates or adds sources. An existing source of the ' +
    'same type and url, key or content is updated; sources that are not given are kept. Old passages can be ' +
    'found until the new ones are ready.',
  payload,
  expensive: true,
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the knowledge base.' }),
    ...baseFields(t, 'The sources to update or add, 1 to 50.'),
  }),
  permission: 'bases.write',
  resolve: (context, { id, ...input }) => updateBase(context, id, input),
});

rowMutation('reindexBase', {
  description:
    'Reads all sources of a knowledge base from scratch, including those that have not changed. Old passages ' +
    'can be found until the new ones are ready.',
  payload,
  expensive: true,
  input: (t) => ({ id: t.id({ required: true, description: 'ID of the knowledge base.' }) }),
  permission: 'bases.write',
  resolve: (context, { id }) => reindexBase(context, id),
});

deleteMutation('deleteBase', {
  description: 'Deletes a knowledge base with its sources and passages, immediately. Agents no longer answer from it.',
  what: 'base',
  write: deleteBase,
});
