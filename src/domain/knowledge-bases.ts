import { listRule } from '../database/list.ts';

export const baseList = listRule({
  model: 'Base',
  permission: 'bases.read',
  orders: { createdAt: { type: 'date' } },
  filters: {},
});
