import { access } from '../../src/core/permissions.ts';
import { readSettings, saveSettings } from '../../src/domain/workspace/settings.ts';
import { builder } from '../builder.ts';
import { rowMutation } from '../shared/mutations.ts';

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

rowMutation('saveSettings', {
  updates: { model: 'Settings', key: ({ viewer: { workspaceId } }) => ({ workspaceId }), read: 'settings' },
  description: 'Saves the settings of the workspace.',
  answers: ['settings', Settings, 'The settings as they are now.'],
  input: (t) => ({
    merge: t.field({ type: MergeRule, required: true, description: 'What to do when a new lead matches an old one.' }),
  }),
  permission: 'settings.write',
  resolve: (context, input) => saveSettings(context, input),
});
