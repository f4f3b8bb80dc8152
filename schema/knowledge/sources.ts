import type { Context } from '../../src/context.ts';
import { access } from '../../src/core/permissions.ts';
import { value } from '../../src/core/value-kinds.ts';
import { watchBase, watchSource } from '../../src/domain/knowledge/source-watch.ts';
import { allSourcePages, passageList, sourceList, sourcePageList } from '../../src/domain/knowledge/sources.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, reorder, rootConnection, rootRow } from '../shared/connections.ts';
import { rowById } from '../shared/row-by-id.ts';

export const SourceType = builder.enumType('SourceType', {
  description: 'The type of a source.',
  values: {
    site: { description: 'A whole website, by URL: its pages on the same host, below the same path.' },
    page: { description: 'A single web page, by URL or content.' },
    youtube: { description: 'A YouTube video.' },
    file: {
      description:
        'A file: PDF, Word, Excel, PowerPoint, OpenDocument, RTF, EPUB, CSV, HTML, Markdown, e-mail or text.',
    },
    audio: { description: 'An audio recording.' },
    faq: { description: 'Questions and answers.' },
  } as const,
});

const SourceStatus = builder.enumType('SourceStatus', {
  description: 'The reading status of a source.',
  values: {
    in_progress: { description: 'The source is being read, or will be soon.' },
    succeeded: { description: 'The passages of the source can be found.' },
    failed: { description: 'The source could not be read; `reason` says why.' },
  } as const,
});

const SourceFile = builder.prismaObject('Source', {
  variant: 'SourceFile',
  description: 'The content of a source and its metadata.',
  fields: (t) => ({
    url: t.exposeString('url', { nullable: true, description: 'The URL that the source is fetched from.' }),
    data: t.expose('data', { type: 'JSONObject', nullable: true, description: 'The content, as given.' }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Title of the source, given or found in the content.',
    }),
    img: t.exposeString('img', { nullable: true, description: 'A picture: a URL, or base64.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'The topic of the source, given or found in the content.',
    }),
    size: t.exposeFloat('size', {
      extensions: value('amount', 'bytes'),
      nullable: true,
      description: 'Size in bytes, as given.',
    }),
    key: t.exposeString('key', { nullable: true, description: "The caller's own key for the source." }),
    ext: t.exposeString('ext', { nullable: true, description: 'File extension, such as pdf.' }),
  }),
});

export const Source = builder.prismaNode('Source', {
  description: 'A part of a knowledge base, such as a page, a file, or a list of questions and answers.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the source, the same in REST.' },
  nullable: true,
  findUnique: rowById('Source'),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'ID of the workspace that the source belongs to.' }),
    baseId: t.exposeID('baseId', { description: 'ID of the knowledge base that the source belongs to.' }),
    type: t.expose('type', { type: SourceType, description: 'The type of the source.' }),
    tags: t.expose('tags', {
      type: 'JSONObject',
      description:
        'Tags as short texts by name, with which agents and messages query only some sources, such as ' +
        '`{"product": "crm"}`.',
    }),
    file: t.variant(SourceFile, { description: 'The content of the source.', extensions: { parleySameRow: true } }),
    status: t.expose('status', { type: SourceStatus, description: 'The reading status of the source.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why reading the source failed. `null` if it did not.',
    }),
    warnings: t.exposeStringList('warnings', {
      description:
        'What was left out when the source was last read, one readable sentence each: pages without text, ' +
        'pictures, empty form fields, attachments, a truncated file. Empty if nothing was left out.',
    }),
    attempts: t.exposeInt('attempts', {
      extensions: value('amount'),
      description: 'Number of attempts to read the source since it was last written.',
    }),
    done: t.exposeInt('done', {
      extensions: value('amount'),
      description: 'Number of parts that have been read: pages of a site, or of a PDF while it is being read.',
    }),
    total: t.exposeInt('total', {
      extensions: value('amount'),
      nullable: true,
      description: 'Number of known parts. `null` if the source has no parts.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the source was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the source was last updated or read.' }),
    pages: relatedConnection(t, 'pages', SourcePageList, {
      description: 'The pages of a site with their results, in the order in which they were found.',
    }),
    base: t.relation('base', { description: 'The knowledge base that the source belongs to.' }),
    passages: relatedConnection(t, 'passages', PassageList, {
      description: 'The passages of the source, in order.',
    }),
  }),
});

const SourcePageStatus = builder.enumType('SourcePageStatus', {
  description: 'The status of a page of a site.',
  values: {
    waiting: { description: 'The page has not been read yet.' },
    succeeded: { description: 'The passages of the page can be found.' },
    failed: { description: 'The page could not be read; `reason` says why.' },
    skipped: { description: 'The page was skipped; `reason` says why.' },
  } as const,
});

const SourcePage = builder.prismaNode('SourcePage', {
  description: 'A page of a source of type site.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the page.' },
  nullable: true,
  findUnique: rowById('SourcePage'),
  fields: (t) => ({
    sourceId: t.exposeID('sourceId', { description: 'ID of the site source that the page belongs to.' }),
    url: t.exposeString('url', { description: 'URL of the page.' }),
    status: t.expose('status', { type: SourcePageStatus, description: 'The status of the page.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the page failed or was skipped, otherwise `null`.',
    }),
    title: t.exposeString('title', { nullable: true, description: 'Title of the page.' }),
    depth: t.exposeInt('depth', { description: 'Number of links between the URL of the site and the page.' }),
    records: t.exposeInt('records', {
      extensions: value('count'),
      description: 'Number of searchable passages of the page.',
    }),
    readAt: t.expose('readAt', { type: 'DateTime', nullable: true, description: 'When the page was last read.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the page was first found.' }),
    source: t.relation('source', { description: 'The site source that the page belongs to.' }),
  }),
});

export const Passage = builder.prismaNode('Passage', {
  description: 'A piece of a source that is found and cited as a unit.',
  id: { resolve: ({ id }) => id, description: 'Unique ID of the passage. It changes when the source is read again.' },
  nullable: true,
  findUnique: rowById('Passage'),
  fields: (t) => ({
    baseId: t.exposeID('baseId', { description: 'ID of the knowledge base that the passage belongs to.' }),
    sourceId: t.exposeID('sourceId', { description: 'ID of the source that the passage was read from.' }),
    text: t.exposeString('text', { description: 'Text of the passage.' }),
    position: t.exposeInt('position', { description: 'Position of the passage in its source, counted from 0.' }),
    place: t.expose('place', {
      type: 'JSONObject',
      description:
        'Location of the passage in its source, as applicable: page, slide, sheet, rows, chapter, time (in ' +
        'seconds), heading, question; for a page of a site, its url and title.',
    }),
    base: t.relation('base', { description: 'The knowledge base that the passage belongs to.' }),
    source: t.relation('source', { description: 'The source that the passage was read from.' }),
  }),
});

export const SourceList = defineList(Source, 'Source', sourceList, {
  orders: {
    createdAt: 'When the source was added.',
    updatedAt: 'When the source was last updated or read.',
    tags: 'A key of the tags.',
  },
  filter: {
    status: { type: SourceStatus, description: 'Sources with this status.' },
    type: { type: SourceType, description: 'Sources of this type.' },
    baseId: { type: 'ID', description: 'Sources of this knowledge base.' },
    createdAt: { description: 'Sources added in this time range.' },
    ids: { type: 'ID', description: 'Sources with one of these IDs.' },
    baseIds: { type: 'ID', description: 'Sources of one of these knowledge bases.' },
    title: { description: 'Title of the source.' },
    description: { description: 'The topic of the source.' },
    url: { description: 'The URL that the source is fetched from.' },
    size: { description: 'Size in bytes.' },
    hasFailure: { description: 'Sources with a failure reason (`true`) or without one (`false`).' },
    updatedAt: { description: 'Sources last updated or read in this time range.' },
    tags: { description: 'Sources whose tags meet all of these conditions.' },
    base: { list: 'Base', description: 'Sources whose knowledge base matches this filter.' },
  },
  groups: {
    moments: { createdAt: 'When the source was added.', updatedAt: 'When the source was last updated or read.' },
    by: {
      status: { type: SourceStatus, description: 'The reading status of the source.' },
      type: { type: SourceType, description: 'The type of the source.' },
      base: { description: 'The knowledge base that the source belongs to.' },
    },
    distinct: { baseId: 'The knowledge bases that the sources belong to.' },
  },
});

const SourcePageList = defineList(SourcePage, 'SourcePage', sourcePageList, {
  orders: {
    createdAt: 'When the page was first found.',
    depth: 'Number of links between the URL of the site and the page.',
  },
  filter: {
    status: { type: SourcePageStatus, description: 'Pages with this status.' },
    sourceId: { type: 'ID', description: 'Pages of this source.' },
    ids: { type: 'ID', description: 'Pages with one of these IDs.' },
    sourceIds: { type: 'ID', description: 'Pages of one of these sources.' },
    url: { description: 'URL of the page.' },
    title: { description: 'Title of the page.' },
    depth: { description: 'Number of links between the URL of the site and the page.' },
    records: { description: 'Number of searchable passages of the page.' },
    createdAt: { description: 'Pages first found in this time range.' },
  },
  groups: {
    moments: { createdAt: 'When the page was first found.' },
    by: {
      status: { type: SourcePageStatus, description: 'The status of the page.' },
      source: { description: 'The site source that the page belongs to.' },
    },
    numbers: { depth: 'Number of links between the URL of the site and the page.' },
    distinct: { sourceId: 'The site sources that the pages belong to.' },
  },
});

export const PassageList = defineList(Passage, 'Passage', passageList, {
  orders: { position: 'Position of the passage in its source.' },
  filter: {
    baseId: { type: 'ID', description: 'Passages of this knowledge base.' },
    sourceId: { type: 'ID', description: 'Passages of this source.' },
    ids: { type: 'ID', description: 'Passages with one of these IDs.' },
    baseIds: { type: 'ID', description: 'Passages of one of these knowledge bases.' },
    sourceIds: { type: 'ID', description: 'Passages of one of these sources.' },
    position: { description: 'Position of the passage in its source, counted from 0.' },
  },
  search: 'Text to search for in the passage. Case and accents are ignored.',
});

const AllSourcePages = reorder(SourcePageList, 'AllSourcePages', allSourcePages, {
  createdAt: 'When the page was first found.',
});

builder.queryFields((t) => ({
  sources: rootConnection(t, SourceList, 'The sources of all knowledge bases of the workspace, newest first.'),
  source: rootRow(t, SourceList, 'Returns a source by ID.'),
  sourcePages: rootConnection(
    t,
    AllSourcePages,
    'The pages of all sites of the workspace, in the order in which they were found.',
  ),
  sourcePage: rootRow(t, SourcePageList, 'Returns a page of a site by ID.'),
}));

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
