import { listRule } from '../database/list.ts';

export const pluginList = listRule({
  model: 'Plugin',
  permission: 'plugins.read',
  orders: { createdAt: { type: 'date' } },
  filters: {},
});
