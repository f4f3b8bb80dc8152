import { scheduleSource } from '../../src/domain/knowledge/source-schedule.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import { Source } from './sources.ts';

const RefreshInterval = builder.enumType('RefreshInterval', {
  description: 'How often a source is read again by itself.',
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
    description: 'How often it is read again by itself, as `data.refreshEvery` says; null when it is not.',
  }),
  nextRefreshAt: t.expose('nextRefreshAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When it is read again by itself; null when it is not, and while it is being read.',
  }),
  lastRefreshError: t.exposeString('lastRefreshError', {
    nullable: true,
    description:
      'Why it could not be read again by itself the last time, so that older passages are found; null when it could.',
  }),
}));

rowMutation('scheduleSource', {
  updates: { model: 'Source' },
  description:
    'Has a source that is fetched from a url read again by itself. What has not changed is kept; when it cannot be read, ' +
    'its passages stay, and `lastRefreshError` says why.',
  answers: ['source', Source, 'The source as it is now.'],
  input: (t) => ({
    id: t.id({ required: true, description: 'The id of the source.' }),
    refreshEvery: t.field({ type: RefreshInterval, description: 'How often; null or left out: no more.' }),
  }),
  permission: 'bases.write',
  resolve: (context, { id, refreshEvery }) => scheduleSource(context, id, refreshEvery ?? null),
});
