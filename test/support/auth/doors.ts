import type { Access } from '../../../src/core/permissions.ts';
import { operations, type RestRequest, requests } from '../rest/operations.ts';
import type { World } from '../world/world.ts';
import { accessOf } from './access.ts';

/** What the requests name: rows of the world, a reply to a visitor, an operation and a board by name, and a link. */
export type Named = World['ids'] & Record<'replyId' | 'operation' | 'board' | 'link', string>;
type Sent = { method: string; path: string; body?: unknown; headers?: Record<string, string> };

/**
 * A request to an address of the gateway. `by`: who may send it; `visitors` have a token of the widget, `anybody` needs
 * no bearer, and none changes the response.
 */
export type Door = Sent & {
  by: Access | 'anybody' | 'visitors' | 'owners themselves';
  /** What it names: other workspaces, and keys of other rows, do not find it. */
  names?: 'operation' | 'board' | 'agent' | 'base' | 'conversation' | 'row';
  /** What kind of limited key may use it. */
  opens?: 'operation' | 'board';
  /** Whoever lacks the permission is not told that there is such a thing. */
  hidden?: true;
  /** Keys of some agents or bases may not change it, since all share it. */
  shared?: true;
  /** Other workspaces are told that it is not theirs. */
  foreign?: 'forbidden';
  /** Tokens that an app or a member made for somebody may not make others, nor secrets. */
  notMinted?: true;
  /** What whoever may use it is told in this world. */
  told?: string;
  /** What goes wrong once the bearer is known stands in a body with the status 200. */
  inBody?: true;
};

const json = { accept: 'application/json' };
const post = (path: string, body: unknown, headers: Record<string, string> = json): Sent => {
  return { method: 'POST', path, body, headers };
};
const get = (path: string, headers: Record<string, string> = json): Sent => ({ method: 'GET', path, headers });
const tool = (name: string, args: object) =>
  ({
    ...post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      {
        accept: 'application/json, text/event-stream',
      },
    ),
    inBody: true,
  }) as const;
const graphql = (body: object, headers = json) => ({ ...post('/graphql', body, headers), inBody: true }) as const;
const agents = '{ agents { nodes { id name } } }';
const oneAgent = 'query ($id: ID!) { agent(id: $id) { id name } }';
const rename = 'mutation ($id: ID!) { updateAgent(input: {id: $id, off: "Away"}) { agent { id } } }';

/** Of the saved operation. */
const runs = { by: 'agents.read', opens: 'operation', names: 'operation' } as const;

/** Each route of the app, as Hono names it, with the requests that are tried there. */
export function doorsOf(named: Named): Record<string, Door[]> {
  const { agentId, conversationId, messageId, pluginId } = named;
  const anybody = (sent: Sent): Door[] => [{ ...sent, by: 'anybody' }];
  const visitors = (sent: Sent, names?: Door['names']): Door[] => [
    { ...sent, by: 'visitors', ...(names && { names }) },
  ];
  const said = [{ role: 'user', content: 'Hello' }];
  return {
    'GET /health': anybody(get('/health')),
    'GET /ready': anybody(get('/ready')),
    'GET /.well-known/jwks.json': anybody(get('/.well-known/jwks.json')),
    'GET /': anybody(get('/')),
    'GET /graphiql/panels/:name{.+}': anybody(get('/graphiql/panels/main.js')),
    'GET /graphiql/:name': anybody(get('/graphiql/token.js')),
    'GET /docs': anybody(get('/docs')),
    'GET /docs/': anybody(get('/docs/')),
    'GET /docs/:name{.+\\.md}': anybody(get('/docs/keys.md')),
    'GET /docs/:name{.+}': anybody(get('/docs/keys')),
    'GET /dashboards': anybody(get('/dashboards')),
    'GET /dashboards/': anybody(get('/dashboards/')),
    'GET /dashboards/:name{[a-z][a-z0-9_-]*}': anybody(get(`/dashboards/${named.board}`)),
    'GET /reference': anybody(get('/reference')),
    'GET /reference/:name': anybody(get('/reference/session.js')),
    'GET /openapi.json': anybody(get('/openapi.json')),
    'GET /invitation': anybody(get('/invitation')),
    'GET /invitation/:name': anybody(get('/invitation/start.js')),
    'GET /demo/widget': anybody(get('/demo/widget')),
    'GET /widget.js': anybody(get('/widget.js')),
    // The cookie, the ticket and the state count, which none of these has.
    'POST /demo/session': anybody(post('/demo/session', { key: 'x' })),
    'POST /demo/token': anybody(post('/demo/token', {})),
    'GET /oauth/start': anybody(get('/oauth/start?ticket=x')),
    'POST /oauth/start': anybody(post('/oauth/start?ticket=x', {})),
    'GET /oauth/callback/:pluginId': anybody(get(`/oauth/callback/${pluginId}?state=x&code=y`)),
    // Whoever has the link has the file, and nobody without it.
    'GET /files/:messageId/:position': [
      ...anybody(get(named.link)),
      ...anybody(get(named.link.replace(/signature=..../, 'signature=AAAA'))),
      ...anybody(get(`/files/${messageId}/0`)),
    ],

    'OPTIONS /graphql': anybody({ method: 'OPTIONS', path: '/graphql' }),
    'GET /graphql': [
      ...anybody(get('/graphql', { accept: 'text/html' })),
      { ...get(`/graphql?query=${encodeURIComponent(agents)}`), by: 'agents.read', inBody: true },
      { ...get(`/graphql?documentId=${named.operation}`), ...runs, inBody: true },
    ],
    'POST /graphql': [
      { ...graphql({ query: agents }), by: 'agents.read' },
      { ...graphql({ query: agents }, { accept: 'text/event-stream' }), by: 'agents.read' },
      { ...graphql({ query: oneAgent, variables: { id: agentId } }), by: 'agents.read', names: 'agent' },
      { ...graphql({ query: rename, variables: { id: agentId } }), by: 'agents.write', names: 'agent' },
      { ...graphql({ documentId: named.operation }), ...runs },
      { ...graphql({ query: '{ auditEntries { nodes { id } } }' }), by: 'audit.read' },
      { ...graphql({ query: '{ keys { nodes { id name } } }' }), by: 'keys.read' },
    ],
    'GET /run/openapi.json': [{ ...get('/run/openapi.json'), by: 'everyone', opens: 'operation' }],
    'GET /run/:file': ['', '.csv', '.ndjson', '.svg'].map((format) => {
      return { ...get(`/run/${named.operation}${format}`, {}), ...runs };
    }),
    'GET /run/boards/:name': [
      { ...get(`/run/boards/${named.board}`), by: 'operations.read', opens: 'board', names: 'board' },
    ],
    'POST /mcp': [
      { ...tool('list_agents', {}), by: 'agents.read', hidden: true },
      { ...tool('ask_agent', { agentId, message: 'Hello' }), by: 'messages.send', names: 'agent', hidden: true },
      { ...tool(named.operation, {}), ...runs },
    ],
    'GET /v1/models': [{ ...get('/v1/models'), by: 'agents.read' }],
    'GET /v1/models/:id': [{ ...get(`/v1/models/${agentId}`), by: 'agents.read', names: 'agent' }],
    'POST /v1/chat/completions': [false, true].map((stream) => {
      const body = { model: agentId, messages: said, stream };
      return { ...post('/v1/chat/completions', body), by: 'messages.send', names: 'agent' };
    }),
    'GET /api/:agentId/:chatId/stream': [
      { ...get(`/api/${agentId}/${conversationId}/stream`), by: 'messages.send', names: 'agent' },
    ],
    'POST /graphiql/rest/operation': [
      { ...post('/graphiql/rest/operation', { method: 'GET', url: '/rest/agents' }), by: 'everyone' },
    ],
    'POST /graphiql/rest/request': [{ ...post('/graphiql/rest/request', { query: agents }), by: 'everyone' }],
    'POST /graphiql/sql': [{ ...post('/graphiql/sql', { query: agents }), by: 'owners themselves' }],

    'POST /widget/session': anybody(post('/widget/session', { channel: `pub_${'0'.repeat(32)}` })),
    'POST /widget/form': visitors(post('/widget/form', {})),
    'GET /widget/conversation': [
      ...visitors(get('/widget/conversation')),
      ...visitors(get(`/widget/conversation?id=${conversationId}`), 'conversation'),
    ],
    'GET /widget/conversations': visitors(get('/widget/conversations')),
    'POST /widget/messages': visitors(post('/widget/messages', { conversationId, content: 'Hello' }), 'conversation'),
    'POST /widget/attachments': [
      {
        ...post(`/widget/attachments?name=a.txt&conversationId=${conversationId}`, 'text', {}),
        by: 'visitors',
        names: 'conversation',
        // The model of these tests reads no files.
        told: 'invalid_request',
      },
    ],
    'GET /widget/replies': visitors(get(`/widget/replies?id=${conversationId}`), 'conversation'),
    'POST /widget/stop': visitors(post('/widget/stop', { conversationId }), 'conversation'),
    'POST /widget/feedback': visitors(
      post('/widget/feedback', { messageId: named.replyId, rating: 'like' }),
      'conversation',
    ),
    'POST /widget/satisfaction': [
      {
        ...post('/widget/satisfaction', { conversationId, satisfaction: 5 }),
        by: 'visitors',
        names: 'conversation',
        // It has not ended.
        told: 'conflict',
      },
    ],
    ...restDoors(named),
  };
}

/** What is special of REST operations. */
const rules: Record<string, Partial<Door>> = {
  ...Object.fromEntries(
    ['sendMessage', 'createChannel', 'listConversations', 'createLead', 'deleteLead', 'readCredential'].map((id) => {
      return [id, { names: 'agent' }];
    }),
  ),
  readBase: { names: 'base' },
  updateBase: { names: 'base' },
  deleteBase: { names: 'base' },
  createBase: { shared: true },
  createField: { shared: true },
  updateField: { names: 'row', shared: true },
  enableField: { names: 'row', shared: true },
  saveSettings: { shared: true },
  updatePlugin: { names: 'row' },
  updateDocument: { names: 'row' },
  createApp: { notMinted: true },
  authenticateApp: { notMinted: true, foreign: 'forbidden' },
};

function restDoors(ids: Named): Record<string, Door[]> {
  return Object.fromEntries(
    operations.map((operation) => {
      const { operationId: id, method, path, root } = operation;
      const request = requests[id]?.(ids);
      const access = accessOf[root];
      if (!request || !access) throw new Error(`${id} has no request: add one to test/support/rest/operations.ts`);
      const door = { ...sentTo({ method, path }, request), by: access, ...rules[id] };
      return [`REST ${id}`, id === 'sendMessage' ? [door, { ...door, body: chat }] : [door]];
    }),
  );
}

/** What chats of the AI SDK send. */
const chat = {
  id: 'a-chat',
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
};

function sentTo({ method, path }: Pick<Sent, 'method' | 'path'>, request: RestRequest): Sent {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? '');
  const query = new URLSearchParams(request.query).toString();
  return { method, path: query ? `${address}?${query}` : address, body: request.body, headers: json };
}
