import type { RowEvents } from '../shared/row-events.ts';

const sourceFields = {
  id: true,
  baseId: true,
  type: true,
  status: true,
  reason: true,
  title: true,
  url: true,
} as const;
const times = { createdAt: true, updatedAt: true } as const;
const wasRead = 'OLD."status" = \'in_progress\' AND NEW."status" <> \'in_progress\'';
const hasFailed = '(NEW."status" = \'failed\' OR NEW."lastRefreshError" IS NOT NULL)';

/** Webhook events of sources. A failed scheduled refresh leaves the source as it was, but counts as `failed`. */
export const sourceEvents: RowEvents = {
  model: 'Source',
  subject: 'source',
  permission: 'bases.read',
  data: { sourceId: 'id', baseId: 'baseId' },
  events: {
    succeeded: { on: 'update', when: `${wasRead} AND NOT ${hasFailed}` },
    failed: { on: 'update', when: `${wasRead} AND ${hasFailed}` },
  },
  read: ({ database }, where) => database.source.findFirst({ where, select: { ...sourceFields, ...times } }),
};
