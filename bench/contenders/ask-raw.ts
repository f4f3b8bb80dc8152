import { afresh, type BenchRequest, type Contender, get, post } from '../contender.ts';
import {
  asked,
  days,
  newLead,
  nextCompany,
  type Operation,
  question,
  turnAgentOf,
  turnChannelOf,
  turnConversation,
  type Variant,
} from '../operations.ts';

function ask(
  operation: Operation,
  { tenant, place, conversationId, leadId, pageNumber }: Variant,
  index: number,
): BenchRequest {
  const headers = { 'x-workspace': tenant.workspaceId };
  const { agentId, after } = place;
  const turn = {
    agentId: turnAgentOf(tenant.workspaceId),
    channelId: turnChannelOf(tenant.workspaceId),
    content: question,
  };
  switch (operation) {
    case 'nested':
      return post('/nested', {}, headers);
    case 'list':
      return post('/list', { agentId, after }, headers);
    case 'list, total':
      return post('/list-with-total', { agentId, after }, headers);
    case 'point':
      return post('/point', { conversationId }, headers);
    case 'page of agents':
      return get(`/rest/agents?page=${pageNumber}&size=20`, headers);
    case 'page of conversations':
      return get(`/rest/conversations/list/${agentId}?page=${pageNumber}&size=20`, headers);
    case 'groups, days':
      return post('/groups-by-day', days, headers);
    case 'groups, top 10':
      return post('/groups-top', {}, headers);
    case 'groups, nested':
      return post('/groups-nested', {}, headers);
    case 'groups, running':
      return post('/groups-running', days, headers);
    case 'groups, ratio':
    case 'groups, histogram':
    case 'groups, funnel':
      return post(`/${operation.replace(', ', '-')}`, {}, headers);
    case 'create (GraphQL)':
      return post('/create', newLead, headers);
    case 'create (REST)':
      return post('/rest/leads', newLead, headers);
    case 'update (GraphQL)':
      return afresh(post('/update', {}, headers), () => ({ leadId, company: nextCompany() }));
    case 'turn, new conversation':
      return post('/turn', turn, headers);
    case 'turn, twentieth message':
      return post('/turn', { ...turn, conversationId: turnConversation(index) }, headers);
  }
}

export const raw: Contender = {
  name: 'raw',
  file: 'contenders/raw.ts',
  ready: get('/ready'),
  requests: async (operation, variants) =>
    asked(operation, variants).map((variant, index) => ask(operation, variant, index)),
  read: (_operation, answer) => answer,
};
