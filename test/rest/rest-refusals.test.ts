import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/rest/routes.ts';
import { useGateway } from '../support/gateway/app.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let home: World;
beforeAll(async () => {
  home = await makeWorld(gateway);
});

/** Fills `{agentId}` and the like with the ids of the world; `{id}` with that of the resource in the path. */
function fill(path: string): string {
  const resource = /^\/rest\/(\w+?)s\//.exec(path)?.[1];
  const key = (name: string) => (name === 'id' ? `${resource}Id` : name) as keyof World['ids'];
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => home.ids[key(name)]);
}
const ask = (method: string, path: string, body?: unknown, headers?: object) =>
  gateway.rest(home.owner, method.toUpperCase(), fill(path), body, headers);

/** Expects 400 `invalid_request` with issues that begin with these keys. */
function expectIssues({ status, body }: { status: number; body: any }, ...names: (string | RegExp)[]): void {
  expect([status, body.code, typeof body.message]).toEqual([400, 'invalid_request', 'string']);
  const messages = body.issues.map(({ message }: { message: string }) => message);
  const matching = names.map((name) =>
    expect.stringMatching(typeof name === 'string' ? `^${name.replaceAll('.', '\\.')}: ` : name),
  );
  expect(messages).toEqual(matching);
}

const withBody = routes.filter(({ body }) => body).map(({ method, path }) => ({ method, path }));

describe.each(withBody)('the body of $method $path', ({ method, path }) => {
  test.each([undefined, null, [], 'text', 1, true])('must be an object, not %j', async (body) => {
    const answer = await ask(method, path, body === undefined ? undefined : JSON.stringify(body));
    expectIssues(answer, 'body');
  });

  test.each(['{', '{"a":1,}', "{'a':1}", 'a=b', '\u0000', '{"a":"\\ud800"}'])(
    'must be JSON that can be kept, not %j',
    async (body) => {
      const answer = await ask(method, path, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    },
  );

  test('must say that it is JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await ask(method, path, '{}', { 'content-type': type });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('has a limit', async () => {
    const limit = /^\/(api|rest\/bases)/.test(path) ? 16_000_000 : 1_000_000;
    const below = await ask(method, path, `{"unknown":"${'x'.repeat(limit - 100)}"}`);
    expect(below.status).not.toBe(413);
    const above = await ask(method, path, `{"unknown":"${'x'.repeat(limit)}"}`);
    expect([above.status, above.body]).toEqual([
      413,
      { message: `The body is larger than ${limit / 1_000_000} MB.`, code: 'payload_too_large' },
    ]);
  });
});

const faq = { type: 'faq', file: { data: { question: 'q', answer: 'a' } } };
const base = (source: object) => ({ description: 'd', sources: [source] });

describe('each key at fault is named', () => {
  test.each([
    ['post', '/api/{agentId}', {}, ['message']],
    ['post', '/api/{agentId}', { messages: [] }, ['message']],
    ['post', '/api/{agentId}', { message: 'Hello' }, ['message']],
    ['post', '/api/{agentId}', { message: { content: 1 } }, ['message.content']],
    ['post', '/api/{agentId}', { message: { content: '' } }, ['message.content']],
    ['post', '/api/{agentId}', { message: { content: 'x', role: 'system' } }, ['message.role']],
    ['post', '/api/{agentId}', { message: { content: 'x', createdAt: 'noon' } }, ['message.createdAt']],
    ['post', '/api/{agentId}', { message: { content: 'x', metadata: [] } }, ['message.metadata']],
    [
      'post',
      '/api/{agentId}',
      { message: { content: 'x', attachments: [{ type: 'image' }] } },
      ['message.attachments.0'],
    ],
    ['post', '/api/{agentId}', { message: { content: 'x', attachments: [1] } }, ['message.attachments.0']],
    [
      'post',
      '/api/{agentId}',
      { messages: [{ content: 'x' }, { role: 'tool', content: 'x' }] },
      ['messages.1.toolCallId'],
    ],
    ['post', '/api/{agentId}', { message: { content: 'x' }, tools: [{}] }, ['tools.0.name']],
    ['post', '/api/{agentId}', { message: { content: 'x' }, tools: {}, format: 'pdf' }, ['tools', 'format']],
    ['post', '/api/{agentId}', { message: { content: 'x' }, utm: { source: 1 } }, ['utm.source']],
    ['post', '/api/{agentId}', { message: { content: 'x' }, id: 1, preview: 'yes' }, ['id', 'preview']],
    ['post', '/rest/agents/{agentId}/channels', {}, ['platform']],
    ['post', '/rest/agents/{agentId}/channels', { platform: 'fax', credentials: [] }, ['platform', 'credentials']],
    [
      'post',
      '/rest/agents/{agentId}/channels',
      { platform: 'api', credentials: { a: 'x'.repeat(17_000) } },
      ['credentials'],
    ],
    ['post', '/rest/leads', {}, [/^At least one of name/]],
    ['post', '/rest/leads', { email: 'nobody', phone: '12' }, ['email', 'phone']],
    ['post', '/rest/leads', { name: 1, custom: [], utm: 'x', capture: 'half' }, ['name', 'custom', 'utm', 'capture']],
    ['post', '/rest/fields', {}, ['name', 'type']],
    ['post', '/rest/fields', { name: '', type: 'text' }, ['name']],
    ['post', '/rest/fields', { name: 'x', type: 'colour' }, ['type']],
    ['post', '/rest/fields', { name: 'x', type: 'choice' }, ['options']],
    ['post', '/rest/fields', { name: 'x', type: 'choice', options: ['a', 1] }, ['options.1']],
    ['put', '/rest/fields/{id}', { name: null }, ['name']],
    ['put', '/rest/plugins/{id}', { url: 'javascript:x', settingsUrl: 1 }, ['settingsUrl']],
    ['put', '/rest/plugins/{id}', { url: 'javascript:x' }, ['url']],
    ['post', '/rest/settings', {}, ['merge']],
    ['post', '/rest/settings', { merge: 'always' }, ['merge']],
    ['post', '/rest/bases', {}, ['description', 'sources']],
    ['put', '/rest/bases/{id}', {}, ['description', 'sources']],
    ['post', '/rest/bases', { description: 'd', sources: [] }, ['sources']],
    ['post', '/rest/bases', { description: 'd', sources: Array(51).fill(faq) }, ['sources']],
    ['post', '/rest/bases', base({}), ['sources.0.type', 'sources.0.file']],
    ['post', '/rest/bases', base({ type: 'book', file: {} }), ['sources.0.type']],
    ['post', '/rest/bases', base({ type: 'page', file: {} }), ['sources.0.file']],
    ['post', '/rest/bases', base({ type: 'page', file: { url: 'ftp://x' } }), ['sources.0.file.url']],
    ['post', '/rest/bases', base({ type: 'faq', file: { data: { question: 'q' } } }), ['sources.0.file.data.answer']],
    ['post', '/rest/bases', base({ ...faq, file: { ...faq.file, size: 'big' } }), ['sources.0.file.size']],
    [
      'post',
      '/rest/bases',
      base({ ...faq, file: { ...faq.file, uri: 'x', typ: 1 } }),
      ['sources.0.file.uri', 'sources.0.file.typ'],
    ],
    ['post', '/rest/apps', {}, ['id', 'name']],
    ['post', '/rest/apps', { id: 'a b', name: 'A' }, ['id']],
    ['post', '/rest/apps', { id: 'a', name: 'A', color: 'red' }, ['color']],
    ['post', '/rest/apps', { id: 'a', name: 'A', redirectUris: ['/callback'] }, ['redirectUris.0']],
    ['post', '/rest/apps', { id: 'a', name: 'A', roles: [null] }, ['roles.0']],
    ['post', '/rest/apps', { id: 'a', name: 'A', roles: 'x', internal: 1 }, ['roles', 'internal']],
    ['post', '/rest/apps/auth', {}, ['userId', 'role', 'tenantId']],
    ['post', '/rest/apps/auth', { userId: 'u', tenantId: 't', role: 'king' }, ['role']],
    ['put', '/rest/documents/{documentId}', { name: null, kbs: 'x' }, ['name', 'kbs']],
    ['put', '/rest/documents/{documentId}', { stats: { words: '1' } }, ['stats.words']],
    ['put', '/rest/documents/{documentId}', { stats: { words: true } }, ['stats.words']],
    ['put', '/rest/documents/{documentId}', { stats: { words: [1] } }, ['stats.words']],
    ['put', '/rest/documents/{documentId}', { stats: 1 }, ['stats']],
  ] as [string, string, object, string[]][])('%s %s %j', async (method, path, body, names) => {
    const before = await ask('get', '/rest/interactions');
    expectIssues(await ask(method, path, body), ...names);
    expect((await ask('get', '/rest/interactions')).body).toEqual(before.body);
  });

  test('of a query', async () => {
    expectIssues(await ask('get', '/rest/credentials'), 'agentId', 'pluginId');
    expectIssues(await ask('get', '/rest/agents?search=%00'), 'search');
    expectIssues(await ask('get', `/rest/agents?search=${'x'.repeat(501)}`), 'search');
  });

  test('of the Idempotency-Key', async () => {
    const body = { message: { content: 'Hello' } };
    for (const key of ['', 'x'.repeat(256)]) {
      expectIssues(await ask('post', '/api/{agentId}', body, { 'idempotency-key': key }), 'Idempotency-Key');
    }
  });

  test('up to 50 of them', async () => {
    const { body } = await ask('post', '/rest/bases', { description: 'd', sources: Array(10_000).fill(1) });
    expect(body.issues).toHaveLength(50);
  });
});

describe('a key that is not known', () => {
  const warn = async (method: string, path: string, body?: unknown) =>
    (await ask(method, path, body)).headers.get('warning');

  test('is ignored, and named in a warning with its nearest known name', async () => {
    expect(await warn('get', '/rest/agents?pag=2&siz=1')).toBe(
      '299 parley "pag: is unknown; the closest known name is page; siz: is unknown; the closest known name is size"',
    );
    expect(await warn('post', '/rest/leads', { nmae: 'x', name: 'Ana' })).toContain(
      'nmae: is unknown; the closest known name is name',
    );
    expect(await warn('get', '/rest/agents?colour=red')).toBe('299 parley "colour: is unknown"');
    expect(await warn('get', '/rest/terms?x=1')).toBe('299 parley "x: is unknown"');
    expect(await warn('get', '/rest/terms')).toBeNull();
  });

  test('is named at any depth, but for objects that take any key', async () => {
    const message = {
      contents: 'x',
      content: 'Hello',
      metadata: { any: 1 },
    };
    const tools = [{ name: 'a', parameters: { any: 1 }, strict: true }];
    const warning = await warn('post', '/api/{agentId}', { message, utm: { sorce: 'x' }, tools });
    for (const path of ['message.contents', 'utm.sorce', 'tools.0.strict']) {
      expect(warning).toContain(`${path}: is unknown`);
    }
    expect(warning).not.toContain('any');
    // The embedded model takes no images; their keys are validated first.
    const picture = { content: 'Hello', attachments: [{ type: 'image', url: 'https://example.com/x', link: 1 }] };
    const strict = { prefer: 'handling=strict' };
    expectIssues(await ask('post', '/api/{agentId}', { message: picture }, strict), 'message.attachments.0.link');
    expect(await warn('post', '/rest/bases', base({ ...faq, id: 'x' }))).toContain('sources.0.id: ');
    expect(await warn('put', '/rest/documents/{documentId}', { stats: { lines: 1 } })).toContain('stats.lines: ');
    expect(await warn('post', '/rest/leads', { name: 'x', custom: { any: 1 }, utm: { any: 'x' } })).toBeNull();
  });

  test('is refused, and nothing done, when the caller asks to be handled strictly', async () => {
    const strict = { prefer: 'respond-async, handling=strict' };
    const { leads } = await gateway.data(home.owner, '{ leads { totalCount } }');
    expectIssues(await ask('post', '/rest/leads', { name: 'Ana', nmae: 1 }, strict), 'nmae');
    expectIssues(await ask('get', '/rest/agents?pag=1', undefined, strict), 'pag');
    expect((await gateway.data(home.owner, '{ leads { totalCount } }')).leads).toEqual(leads);
    const fine = await ask('get', '/rest/agents', undefined, strict);
    expect([fine.status, fine.headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
  });

  test('cannot break the header, whatever it is', async () => {
    const body = { name: 'Ana', 'ünï"code\r\n\\': 1, ['k'.repeat(5_000)]: 1, constructor: 1, toString: 1 };
    const answer = await ask('post', '/rest/leads', body);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('warning')).toMatch(/^299 parley "[\x20-\x7e]{1,1000}"$/);
    expect(answer.headers.get('warning')).toContain('constructor: is unknown');
  });
});

describe('a row that is not there', () => {
  test.each([
    ['post', '/api/nothing', { message: { content: 'Hello' } }, 'Agent'],
    ['post', '/api/{agentId}', { message: { content: 'Hello' }, id: 'nothing' }, 'Conversation'],
    ['post', '/api/{agentId}', { message: { content: 'Hello' }, leadId: 'nothing' }, 'Lead'],
    ['post', '/rest/agents/nothing/channels', { platform: 'api' }, 'Agent'],
    ['get', '/rest/conversations/list/nothing', undefined, 'Agent'],
    ['post', '/rest/leads', { name: 'Ana', agentId: 'nothing' }, 'Agent'],
    ['delete', '/rest/leads/nothing', undefined, 'Lead'],
    ['put', '/rest/fields/nothing', { name: 'x' }, 'Field'],
    ['put', '/rest/fields/nothing/enable', undefined, 'Field'],
    ['put', '/rest/plugins/nothing', {}, 'Plugin'],
    ['get', '/rest/credentials?agentId=nothing&pluginId=nothing', undefined, 'Credential'],
    ['get', '/rest/bases/nothing', undefined, 'Base'],
    ['put', '/rest/bases/nothing', base(faq), 'Base'],
    ['delete', '/rest/bases/nothing', undefined, 'Base'],
    ['put', '/rest/documents/nothing', {}, 'Document'],
  ])('is 404: %s %s', async (method, path, body, what) => {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body]).toEqual([
      404,
      { message: expect.stringMatching(`^${what}.* not found\\.$`), code: 'not_found' },
    ]);
  });
});

describe('what is at odds with what is there', () => {
  test('is 409: a second app of an id, a second field of a name', async () => {
    for (const [path, body] of [
      ['/rest/apps', { id: 'twice', name: 'Twice' }],
      ['/rest/fields', { name: 'Twice', type: 'text' }],
    ] as const) {
      expect((await ask('post', path, body)).status).toBe(200);
      const again = await ask('post', path, body);
      expect([again.status, again.body]).toEqual([409, { message: expect.any(String), code: 'conflict' }]);
    }
  });

  test('is 422 or the same answer: a repetition with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const send = (content: string) => ask('post', '/api/{agentId}', { message: { content } }, headers);
    const first = await send('Hello');
    expect(await send('Hello')).toMatchObject({ status: 200, body: first.body });
    const other = await send('Something else');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('is 403: what the role may not do', async () => {
    for (const [method, path, body] of [
      ['POST', '/rest/leads', { name: 'Ana' }],
      ['POST', '/rest/settings', { merge: 'any' }],
      ['DELETE', `/rest/bases/${home.ids.baseId}`, undefined],
      ['POST', `/api/${home.ids.agentId}`, { message: { content: 'Hello' } }],
    ] as const) {
      const answer = await gateway.rest(home.viewer, method, path, body);
      expect([answer.status, answer.body]).toEqual([
        403,
        { message: expect.stringContaining('viewer'), code: 'forbidden' },
      ]);
    }
  });
});
