import { scheduleSource } from '../../src/domain/knowledge/source-schedule.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Source } from './sources.ts';

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
