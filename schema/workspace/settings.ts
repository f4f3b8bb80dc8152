import { access } from '../../src/core/permissions.ts';
import { readSettings, saveBudgets, saveSettings } from '../../src/domain/workspace/settings.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';
import type { Updated } from '../shared/updates.ts';

const MergeRule = builder.enumType('MergeRule', {
  description: 'What to do when a new lead matches an old one. New values win over old ones; nothing known is lost.',
  values: {
    never: { description: 'Keep both.' },
    email: { description: 'Merge the new lead into the old one with the same email.' },
    phone: { description: 'Merge the new lead into the old one with the same phone number.' },
    any: { description: 'Merge the new lead into the old one with the same email or phone number.' },
  } as const,
});

const Settings = builder.prismaObject('Settings', {
  description: 'The settings of a workspace.',
  fields: (t) => ({
    workspaceId: t.exposeID('workspaceId', { description: 'The workspace that they are for.' }),
    merge: t.expose('merge', { type: MergeRule, description: 'What to do when a new lead matches an old one.' }),
    requestsPerMinute: t.exposeInt('requestsPerMinute', {
      nullable: true,
      description:
        'Requests that all bearers of the workspace may make in a minute together; null: as many as the operator allows.',
    }),
    costPerMinute: t.exposeInt('costPerMinute', {
      nullable: true,
      description:
        'What the operations of all bearers of the workspace may cost in a minute together; null: as many as the operator allows.',
    }),
    tokenRequestsPerMinute: t.exposeInt('tokenRequestsPerMinute', {
      nullable: true,
      description:
        'Requests that each member, and each app, may make in a minute with bearers that are no keys; null: as many as the operator allows.',
    }),
    tokenCostPerMinute: t.exposeInt('tokenCostPerMinute', {
      nullable: true,
      description:
        'What the operations of each member, and of each app, may cost in a minute with bearers that are no keys; null: as many as the operator allows.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When they were made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When they were changed last.' }),
    workspace: t.relation('workspace', { description: 'The workspace that they are for.' }),
  }),
});

builder.queryField('settings', (t) =>
  t.field({
    type: Settings,
    nullable: true,
    description: 'The settings of the workspace.',
    extensions: access('settings.read'),
    resolve: (_root, _args, context) => readSettings(context),
  }),
);

const updates: Updated = {
  model: 'Settings',
  key: ({ viewer: { workspaceId } }) => ({ workspaceId }),
  read: 'settings',
};

rowMutation('saveSettings', {
  updates,
  description: 'Saves the settings of the workspace.',
  answers: ['settings', Settings, 'The settings as they are now.'],
  input: (t) => ({
    merge: t.field({ type: MergeRule, required: true, description: 'What to do when a new lead matches an old one.' }),
  }),
  permission: 'settings.write',
  resolve: (context, input) => saveSettings(context, input),
});

rowMutation('saveBudgets', {
  updates,
  description:
    "Saves what may be used in a minute: requests, and what operations cost. For owners alone; what is left out has no limit but the operator's.",
  answers: ['settings', Settings, 'The settings as they are now.'],
  input: (t) => ({
    requestsPerMinute: t.int({
      description:
        'Requests that all bearers of the workspace may make in a minute together; left out or null: as many as the operator allows.',
    }),
    costPerMinute: t.int({
      description:
        'What the operations of all bearers of the workspace may cost in a minute together; left out or null: as many as the operator allows.',
    }),
    tokenRequestsPerMinute: t.int({
      description:
        'Requests that each member, and each app, may make in a minute with bearers that are no keys; left out or null: as many as the operator allows.',
    }),
    tokenCostPerMinute: t.int({
      description:
        'What the operations of each member, and of each app, may cost in a minute with bearers that are no keys; left out or null: as many as the operator allows.',
    }),
  }),
  permission: 'owners.write',
  resolve: (context, input) => saveBudgets(context, input),
});
