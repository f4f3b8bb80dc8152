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
  description:
    'What a source is read from. All keys are optional, but a source needs a url or data that fits its type.',
  fields: (t) => ({
    url: t.string({ description: 'An http or https address to fetch it from.' }),
    data: t.field({
      type: 'JSONObject',
      description:
        'Its content: `{question, answer}` or `{items: [{question, answer}]}` for an faq, else `{text}`, `{html}` or ' +
        '`{base64}`, which goes before url; `refreshEvery` for what is fetched, and for a site `maxPages` and `maxDepth`.',
    }),
    title: t.string({ description: 'Its title; when left out, the one found in it.' }),
    img: t.string({ description: 'A picture of it: an address, or base64.' }),
    description: t.string({ description: 'What it is about; when left out, what it says of itself.' }),
    size: t.float({ description: 'Its size in bytes.' }),
    key: t.string({ description: 'Your own key for it, by which a later update finds it.' }),
    ext: t.string({ description: 'The extension of its name, such as pdf.' }),
  }),
});

const sourceFields = (t: InputBuilder) => ({
  type: t.field({ type: SourceType, required: true, description: 'What it is made of.' }),
  file: t.field({ type: SourceFileInput, required: true, description: 'What it is read from.' }),
});

export const SourceInput = builder.inputType('SourceInput', {
  description: 'A source to add to a base, or to update in it.',
  fields: (t) => sourceFields(t),
});

const answers: [string, unknown, string] = ['source', Source, 'The source as it is now.'];
const sourceId = (t: InputBuilder) => t.id({ required: true, description: 'The id of the source.' });

rowMutation('addSource', {
  description: 'Adds a source to a base. It is read in the background.',
  answers,
  expensive: true,
  input: (t) => ({ baseId: t.id({ required: true, description: 'The id of the base.' }), ...sourceFields(t) }),
  permission: 'bases.write',
  resolve: (context, { baseId, ...input }) => addSource(context, baseId, input as never),
});

rowMutation('updateSource', {
  updates: { model: 'Source' },
  description: 'Gives a source another file and reads it. Until that is done, its old passages are found.',
  answers,
  expensive: true,
  input: (t) => ({
    id: sourceId(t),
    file: t.field({ type: SourceFileInput, required: true, description: 'What it is read from now, as a whole.' }),
  }),
  permission: 'bases.write',
  resolve: (context, { id, file }) => updateSource(context, id, file as never),
});

rowMutation('setSourceTags', {
  updates: { model: 'Source' },
  description: 'Sets the tags of a source, all of them. It is not read again: they count from the next search on.',
  answers,
  input: (t) => ({
    id: sourceId(t),
    tags: t.field({
      type: 'JSONObject',
      required: true,
      description: 'Short texts by their names, at most 20; {} for none.',
    }),
  }),
  write: setSourceTags,
});

rowMutation('retrySource', {
  description: 'Reads a source again, whether it failed or not. What has not changed keeps its passages.',
  answers,
  expensive: true,
  input: (t) => ({ id: sourceId(t) }),
  permission: 'bases.write',
  resolve: (context, { id }) => retrySource(context, id),
});

rowMutation('reindexSource', {
  description:
    'Reads a source as if it were new: unlike `retrySource` also what has not changed since. Until that is done, its old ' +
    'passages are found.',
  answers,
  expensive: true,
  input: (t) => ({ id: sourceId(t) }),
  permission: 'bases.write',
  resolve: (context, { id }) => reindexSource(context, id),
});

deleteMutation('deleteSource', {
  updates: { model: 'Source' },
  description: 'Removes a source with its passages, at once.',
  what: 'source',
  permission: 'bases.write',
  remove: deleteSource,
});
