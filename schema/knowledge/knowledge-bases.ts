import { limitOf } from '../../src/database/query/row-limits.ts';
import {
  baseList,
  createBase,
  deleteBase,
  reindexBase,
  updateBase,
} from '../../src/domain/knowledge/knowledge-bases.ts';
import { AgentList } from '../agents/agents.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, rootConnection, rootRow } from '../shared/connections.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { actorFields } from '../workspace/actors.ts';
import { SourceInput } from './source-mutations.ts';
import { PassageList, SourceList } from './sources.ts';

const BaseStatus = builder.enumType('BaseStatus', {
  description: 'How far the reading of the sources of a base is.',
  values: {
    in_progress: { description: 'A source of it is being read.' },
    succeeded: { description: 'All of its sources were read.' },
    partial: { description: 'Some of its sources were read, others failed.' },
    failed: { description: 'All of its sources failed.' },
  } as const,
});

const Base = builder.prismaNode('Base', {
  description: 'A knowledge base: a collection of sources that agents answer from.',
  id: { field: 'id', description: 'The id of the base, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Base', viewer) }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the base belongs to.' }),
    description: t.exposeString('description', { description: 'What the base is about.' }),
    status: t.expose('status', { type: BaseStatus, description: 'How far the reading of its sources is.' }),
    records: t.exposeInt('records', { description: 'How many passages can be found in it.' }),
    createdBy: t.exposeID('createdBy', { nullable: true, description: 'The user or app that made it.' }),
    updatedBy: t.exposeID('updatedBy', { nullable: true, description: 'The user or app that changed it last.' }),
    ...actorFields(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was changed last, by a person or by the reading of its sources.',
    }),
    workspace: t.relation('workspace', { description: 'The workspace that it belongs to.' }),
    sources: relatedConnection(t, 'sources', SourceList, { description: 'What it is made of, newest first.' }),
    allSources: t.relation('sources', {
      description: 'All of its sources at once, oldest first: for bases known to be small.',
      complexity: { field: 1, multiplier: 50 },
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
    passages: relatedConnection(t, 'passages', PassageList, { description: 'What can be found in it.' }),
    agents: relatedConnection(t, 'agentBases', AgentList, {
      description: 'The agents that answer from it.',
      through: 'agent',
    }),
  }),
});

export const BaseList = defineList(Base, 'Base', baseList, {
  orders: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.' },
  filter: {
    status: { type: BaseStatus, description: 'Bases of which the reading is this far.' },
    createdAt: { description: 'Bases made in this span of time.' },
    agentId: { type: 'ID', description: 'Bases that this agent answers from.' },
    ids: { type: 'ID', description: 'Bases with one of these ids.' },
    description: { description: 'What it is about.' },
    records: { description: 'How many passages can be found in it.' },
    updatedAt: { description: 'Bases changed last in this span of time.' },
  },
  search: 'Text to find in the description and in the content; case and accents do not matter.',
  groups: {
    moments: { createdAt: 'When it was made.', updatedAt: 'When it was changed last.' },
    by: { status: { type: BaseStatus, description: 'How far its sources are read.' } },
    numbers: { records: 'How many passages can be found in it.' },
  },
});

builder.prismaObjectField('Agent', 'bases', (t) =>
  relatedConnection(t, 'agentBases', BaseList, { description: 'The bases it answers from.', through: 'base' }),
);

builder.queryFields((t) => ({
  bases: rootConnection(t, BaseList, 'The knowledge bases of the workspace, newest first.'),
  base: rootRow(t, BaseList, 'One knowledge base.'),
}));

const baseFields = (t: InputBuilder, sources: string) => ({
  description: t.string({ required: true, description: 'What the base is about.' }),
  sources: t.field({ type: [SourceInput], required: true, description: sources }),
});
const answers: [string, unknown, string] = ['base', Base, 'The base as it is now.'];

rowMutation('createBase', {
  description: 'Makes a knowledge base. Its sources are read in the background.',
  answers,
  expensive: true,
  input: (t) => baseFields(t, 'What it is made of, 1 to 50 sources.'),
  permission: 'bases.write',
  resolve: (context, input) => createBase(context, input as never),
});

rowMutation('updateBase', {
  updates: { model: 'Base' },
  description:
    'Changes the description of a base, and updates or adds sources. A source that the base has already, of the same ' +
    'type and url, key or content, is updated; those that are not given stay. Old passages are found until the new ' +
    'ones are in.',
  answers,
  expensive: true,
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the base.' }),
    ...baseFields(t, 'The sources to update or add, 1 to 50.'),
  }),
  permission: 'bases.write',
  resolve: (context, { id, ...input }) => updateBase(context, id, input as never),
});

rowMutation('reindexBase', {
  description:
    'Reads all sources of a base as if they were new, also what has not changed. Old passages are found until the new ones ' +
    'are in.',
  answers,
  expensive: true,
  input: (t) => ({ id: t.id({ required: true, description: 'The id of the base.' }) }),
  permission: 'bases.write',
  resolve: (context, { id }) => reindexBase(context, id),
});

deleteMutation('deleteBase', {
  updates: { model: 'Base' },
  description: 'Removes a base with its sources and passages, at once. Agents answer from it no more.',
  what: 'base',
  permission: 'bases.delete',
  remove: deleteBase,
});
