import { limitOf } from '../../src/database/query/row-limits.ts';
import { allSourcePages, passageList, sourceList, sourcePageList } from '../../src/domain/knowledge/sources.ts';
import { builder } from '../builder.ts';
import { defineList, relatedConnection, reorder, rootConnection, rootRow } from '../shared/connections.ts';

export const SourceType = builder.enumType('SourceType', {
  description: 'What a source is made of.',
  values: {
    site: { description: 'A whole site, by its address: its pages on the same host, below the same path.' },
    page: { description: 'One page, by its address or its content.' },
    youtube: { description: 'A video on YouTube.' },
    file: { description: 'A file: PDF, Word, Excel, PowerPoint, EPUB, CSV, HTML, Markdown, e-mail or text.' },
    audio: { description: 'A recording.' },
    faq: { description: 'Questions and their answers.' },
  } as const,
});

const SourceStatus = builder.enumType('SourceStatus', {
  description: 'How far the reading of a source is.',
  values: {
    in_progress: { description: 'It is being read, or about to be.' },
    succeeded: { description: 'Its passages can be found.' },
    failed: { description: 'It could not be read; `reason` says why.' },
  } as const,
});

const SourceFile = builder.prismaObject('Source', {
  variant: 'SourceFile',
  description: 'What a source is read from, and what is known of it.',
  fields: (t) => ({
    url: t.exposeString('url', { nullable: true, description: 'The address that it is fetched from.' }),
    data: t.expose('data', { type: 'JSONObject', nullable: true, description: 'Its content, as it was given.' }),
    title: t.exposeString('title', { nullable: true, description: 'Its title, given or found in it.' }),
    img: t.exposeString('img', { nullable: true, description: 'A picture of it: an address, or base64.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is about, given or found in it.',
    }),
    size: t.exposeFloat('size', { nullable: true, description: 'Its size in bytes, as it was given.' }),
    key: t.exposeString('key', { nullable: true, description: "The caller's own key for it." }),
    ext: t.exposeString('ext', { nullable: true, description: 'The extension of its name, such as pdf.' }),
  }),
});

export const Source = builder.prismaNode('Source', {
  description: 'A part of a knowledge base: a page, a file, a list of questions and answers.',
  id: { field: 'id', description: 'The id of the source, the same in REST.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Source', viewer) }),
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that the source belongs to.' }),
    baseId: t.exposeID('baseId', { description: 'The id of the base that it is a part of.' }),
    type: t.expose('type', { type: SourceType, description: 'What it is made of.' }),
    tags: t.expose('tags', {
      type: 'JSONObject',
      description:
        'Short texts by their names, by which agents and messages ask some sources alone, as in {"product": "crm"}.',
    }),
    file: t.variant(SourceFile, { description: 'What it is read from.', extensions: { parleySameRow: true } }),
    status: t.expose('status', { type: SourceStatus, description: 'How far the reading of it is.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed; null when it has not.' }),
    warnings: t.exposeStringList('warnings', {
      description:
        'What was left out when it was read last, each a sentence for people: pages without text, pictures, empty form ' +
        'fields, attachments, a file that is cut off. Empty when nothing was.',
    }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried since it was written last.' }),
    done: t.exposeInt('done', {
      description: 'How many of its parts are read: pages of a site, or of a PDF while it is being read.',
    }),
    total: t.exposeInt('total', {
      nullable: true,
      description: 'How many parts of it are known; null when it has none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed, or read, last.' }),
    pages: relatedConnection(t, 'pages', SourcePageList, {
      description: 'The pages of a site, and what came of each, in the order in which they were found.',
    }),
    base: t.relation('base', { description: 'The base that it is a part of.' }),
    passages: relatedConnection(t, 'passages', PassageList, {
      description: 'The passages that were read from it, first to last.',
    }),
  }),
});

const SourcePageStatus = builder.enumType('SourcePageStatus', {
  description: 'What came of a page of a site.',
  values: {
    waiting: { description: 'It is to be read.' },
    succeeded: { description: 'Its passages can be found.' },
    failed: { description: 'It could not be read; `reason` says why.' },
    skipped: { description: 'It was left out; `reason` says why.' },
  } as const,
});

const SourcePage = builder.prismaNode('SourcePage', {
  description: 'A page of a source of type site.',
  id: { field: 'id', description: 'The id of the page.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('SourcePage', viewer) }),
  fields: (t) => ({
    sourceId: t.exposeID('sourceId', { description: 'The id of the site that it is a page of.' }),
    url: t.exposeString('url', { description: 'Its address.' }),
    status: t.expose('status', { type: SourcePageStatus, description: 'What came of it.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed or was left out; else null.' }),
    title: t.exposeString('title', { nullable: true, description: 'Its title.' }),
    depth: t.exposeInt('depth', { description: 'How many links it is away from the address of the site.' }),
    records: t.exposeInt('records', { description: 'How many passages of it can be found.' }),
    readAt: t.expose('readAt', { type: 'DateTime', nullable: true, description: 'When it was read last.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was found first.' }),
    source: t.relation('source', { description: 'The site that it is a page of.' }),
  }),
});

export const Passage = builder.prismaNode('Passage', {
  description: 'A piece of a source that is found and quoted as one.',
  id: { field: 'id', description: 'The id of the passage. It changes when the source is read again.' },
  nullable: true,
  findUnique: (id, { viewer }) => ({ id, workspaceId: viewer.workspaceId, AND: limitOf('Passage', viewer) }),
  fields: (t) => ({
    baseId: t.exposeID('baseId', { description: 'The id of the base that it is a part of.' }),
    sourceId: t.exposeID('sourceId', { description: 'The id of the source that it was read from.' }),
    text: t.exposeString('text', { description: 'Its text.' }),
    position: t.exposeInt('position', { description: 'Its place among the passages of its source, counted from 0.' }),
    place: t.expose('place', {
      type: 'JSONObject',
      description:
        'Where it stands in its source, as far as it applies: page, slide, sheet, rows, chapter, time (in seconds), heading, ' +
        'question; for a page of a site its url and title.',
    }),
    base: t.relation('base', { description: 'The base that it is a part of.' }),
    source: t.relation('source', { description: 'The source that it was read from.' }),
  }),
});

export const SourceList = defineList(Source, 'Source', sourceList, {
  orders: { createdAt: 'When it was added.', updatedAt: 'When it was changed, or read, last.' },
  filter: {
    status: { type: SourceStatus, description: 'Sources of which the reading is this far.' },
    type: { type: SourceType, description: 'Sources made of this.' },
    baseId: { type: 'ID', description: 'Sources of this base.' },
    createdAt: { description: 'Sources added in this span of time.' },
    ids: { type: 'ID', description: 'Sources with one of these ids.' },
    baseIds: { type: 'ID', description: 'Sources of one of these bases.' },
    title: { description: 'What it is called.' },
    description: { description: 'What it says of itself.' },
    url: { description: 'Where it is read from.' },
    size: { description: 'How many bytes it has.' },
    hasFailure: { description: 'Sources that say why they failed (true) or do not (false).' },
    updatedAt: { description: 'Sources changed, or read, last in this span of time.' },
    tags: { description: 'Sources whose tags meet all of these conditions.' },
    base: { list: 'Base', description: 'Sources whose base meets this filter.' },
  },
  groups: {
    moments: { createdAt: 'When it was added.', updatedAt: 'When it was changed, or read, last.' },
    by: {
      status: { type: SourceStatus, description: 'How far it is read.' },
      type: { type: SourceType, description: 'What it is made of.' },
      base: { description: 'The base that it is of.' },
    },
    distinct: { baseId: 'The bases that they are of.' },
  },
});

const SourcePageList = defineList(SourcePage, 'SourcePage', sourcePageList, {
  orders: { createdAt: 'When it was found first.', depth: 'How far from the start it is.' },
  filter: {
    status: { type: SourcePageStatus, description: 'Pages that this came of.' },
    sourceId: { type: 'ID', description: 'Pages of this source.' },
    ids: { type: 'ID', description: 'Pages with one of these ids.' },
    sourceIds: { type: 'ID', description: 'Pages of one of these sources.' },
    url: { description: 'Its address.' },
    title: { description: 'What it is called.' },
    depth: { description: 'How many links it is away from the address of the site.' },
    records: { description: 'How many passages were read from it.' },
    createdAt: { description: 'Pages found first in this span of time.' },
  },
  groups: {
    moments: { createdAt: 'When it was found first.' },
    by: {
      status: { type: SourcePageStatus, description: 'What became of it.' },
      source: { description: 'The source of whose site it is.' },
    },
    numbers: { depth: 'How many links it is away from the address of the site.' },
    distinct: { sourceId: 'The sources of whose sites they are.' },
  },
});

export const PassageList = defineList(Passage, 'Passage', passageList, {
  orders: { position: 'Its place in its source.' },
  filter: {
    baseId: { type: 'ID', description: 'Passages of this base.' },
    sourceId: { type: 'ID', description: 'Passages of this source.' },
    ids: { type: 'ID', description: 'Passages with one of these ids.' },
    baseIds: { type: 'ID', description: 'Passages of one of these bases.' },
    sourceIds: { type: 'ID', description: 'Passages of one of these sources.' },
    position: { description: 'Its place in its source, counted from 0.' },
  },
  search: 'Text to find in the passage; case and accents do not matter.',
});

const AllSourcePages = reorder(SourcePageList, 'AllSourcePages', allSourcePages, {
  createdAt: 'When it was found first.',
});

builder.queryFields((t) => ({
  sources: rootConnection(t, SourceList, 'The sources of all bases of the workspace, newest first.'),
  source: rootRow(t, SourceList, 'One source.'),
  sourcePages: rootConnection(t, AllSourcePages, 'The pages of all sites of the workspace, in the order found.'),
  sourcePage: rootRow(t, SourcePageList, 'One page of a site.'),
}));
