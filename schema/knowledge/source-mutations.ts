import { scheduleSource } from '../../src/domain/knowledge/source-refresh.ts';
import {
  addSource,
  deleteSource,
  reindexSource,
  retrySource,
  setSourceTags,
  updateSource,
} from '../../src/domain/knowledge/sources.ts';
import { builder } from '../builder.ts';
import { deleteMutation, type InputBuilder, rowMutation } from '../shared/mutations.ts';
import { Source, SourceType } from './sources.ts';

const SourceFileInput = builder.inputType('SourceFileInput', {
  description: 'The content of a source. All fields are optional, but a source needs a url or data that fits its type.',
  fields: (t) => ({
    url: t.string({ description: 'An http or https URL to fetch the source from.' }),
    data: t.field({
      type: 'JSONObject',
      description:
        'The content: `{question, answer}` or `{items: [{question, answer}]}` for an faq, otherwise `{text}`, ' +
        '`{html}` or `{base64}`, which takes precedence over url; `refreshEvery` for a source that is fetched, ' +
        'and `maxPages` and `maxDepth` for a site.',
    }),
    title: t.string({ description: 'Title of the source. Defaults to the title found in the content.' }),
    img: t.string({ description: 'A picture: a URL, or base64.' }),
    description: t.string({
      description: 'The topic of the source. Defaults to the description found in the content.',
    }),
    size: t.float({ description: 'Size in bytes.' }),
    key: t.string({ description: 'Your own key for the source, which later updates can refer to.' }),
    ext: t.string({ description: 'File extension, such as pdf.' }),
  }),
});

const sourceFields = (t: InputBuilder) => ({
  type: t.field({ type: SourceType, required: true, description: 'The type of the source.' }),
  file: t.field({ type: SourceFileInput, required: true, description: 'The content of the source.' }),
});

export const SourceInput = builder.inputType('SourceInput', {
  description: 'A source to add to a knowledge base, or to update in it.',
  fields: (t) => sourceFields(t),
});

const payload = { field: 'source', type: Source, description: 'The source after the change.' };
const sourceId = (t: InputBuilder) => t.id({ required: true, description: 'ID of the source.' });

rowMutation('addSource', {
  description: 'Adds a source to a knowledge base. It is read in the background.',
  payload,
  expensive: true,
  input: (t) => ({ baseId: t.id({ required: true, description: 'ID of the knowledge base.' }), ...sourceFields(t) }),
  permission: 'bases.write',
  resolve: (context, { baseId, ...input }) => addSource(context, baseId, input),
});

rowMutation('updateSource', {
  updates: { model: 'Source' },
  description: 'Replaces the file of a source and reads it. Until that is done, old passages can be found.',
  payload,
  expensive: true,
  input: (t) => ({
    id: sourceId(t),
    file: t.field({
      type: SourceFileInput,
      required: true,
      description: 'The new content of the source, which replaces the old content entirely.',
    }),
  }),
  permission: 'bases.write',
  resolve: (context, { id, file }) => updateSource(context, id, file),
});

rowMutation('setSourceTags', {
  description: 'Replaces all tags of a source. The source is not read again; the new tags apply from the next search.',
  payload,
  input: (t) => ({
    id: sourceId(t),
    tags: t.field({
      type: 'JSONObject',
      required: true,
      description: 'Tags as short texts by name, at most 20. {} removes all tags.',
    }),
  }),
  write: setSourceTags,
});

rowMutation('retrySource', {
  description: 'Reads a source again, whether it failed or not. Unchanged content keeps its passages.',
  payload,
  expensive: true,
  input: (t) => ({ id: sourceId(t) }),
  permission: 'bases.write',
  resolve: (context, { id }) => retrySource(context, id),
});

rowMutation('reindexSource', {
  description:
    'Reads a source from scratch: unlike `retrySource`, including content that has not changed. Until that ' +
    'is done, old passages can be found.',
  payload,
  expensive: true,
  input: (t) => ({ id: sourceId(t) }),
  permission: 'bases.write',
  resolve: (context, { id }) => reindexSource(context, id),
});

deleteMutation('deleteSource', {
  updates: { model: 'Source' },
  description: 'Deletes a source and its passages, immediately.',
  what: 'source',
  permission: 'bases.write',
  remove: deleteSource,
});

const RefreshInterval = builder.enumType('RefreshInterval', {
  description: 'How often a source is automatically read again.',
  values: {
    hourly: { description: 'About every hour.' },
    daily: { description: 'About once a day.' },
    weekly: { description: 'About once a week.' },
    monthly: { description: 'About every 30 days.' },
  } as const,
});

builder.prismaObjectFields(Source, (t) => ({
  refreshEvery: t.expose('refreshEvery', {
    type: RefreshInterval,
    nullable: true,
    description:
      'How often the source is automatically read again, as set in `data.refreshEvery`. `null` if it is not.',
  }),
  nextRefreshAt: t.expose('nextRefreshAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the source is next automatically read again. `null` if it is not, and while it is being read.',
  }),
  lastRefreshError: t.exposeString('lastRefreshError', {
    nullable: true,
    description: 'Why the last automatic refresh failed, so that older passages are found. `null` if it succeeded.',
  }),
}));

rowMutation('scheduleSource', {
  updates: { model: 'Source' },
  description:
    'Schedules a source that is fetched from a url to be automatically read again. Unchanged content is ' +
    'kept. If reading fails, the passages are kept and `lastRefreshError` says why.',
  payload: { field: 'source', type: Source, description: 'The source after the change.' },
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the source.' }),
    refreshEvery: t.field({
      type: RefreshInterval,
      description: 'How often to read it. If `null` or omitted, the schedule is removed.',
    }),
  }),
  permission: 'bases.write',
  resolve: (context, { id, refreshEvery }) => scheduleSource(context, id, refreshEvery ?? null),
});
