import { listRule } from '../database/list.ts';

export const leadList = listRule({
  model: 'Lead',
  permission: 'leads.read',
  orders: { createdAt: { type: 'date' } },
  filters: {},
});
