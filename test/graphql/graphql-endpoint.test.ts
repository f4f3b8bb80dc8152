import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../support/gateway/factories.ts';

const gateway = useGateway();
let home: TestWorkspace;
beforeAll(async () => {
  home = await makeWorkspace(gateway);
});

const post = async (body: string, headers: Record<string, string> = {}) => {
  const response = await gateway.app.request('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await gateway.bearer(home.editor)}`,
      ...headers,
    },
    body,
  });
  const json = (await response.json()) as {
    errors: { message: string; extensions: { code: string; issues?: object[] } }[];
  };
  return { status: response.status, headers: response.headers, error: json.errors[0] };
};

const allow = 'GET, POST, HEAD, OPTIONS';

describe('/graphql', () => {
  test('names what does not fit the schema, with the code of the decisions', async () => {
    const { error } = await post(JSON.stringify({ query: '{ agents { nodes { nam } } }' }));
    expect(error?.message).toContain('Did you mean "name"');
    expect(error?.extensions).toEqual({ code: 'invalid_request', issues: [{ message: error?.message }] });
  });

  test.each([
    [
      '{ leads { groups(by: week) { totalCount } } }',
      /^Unknown argument "by" on field "LeadConnection\.groups"\. Its arguments are (\w+, )+\w+\.$/,
    ],
    [
      '{ leads { pageInfo { zzzzzz } } }',
      'Cannot query field "zzzzzz" on type "PageInfo". Its fields are endCursor, hasNextPage, hasPreviousPage, startCursor.',
    ],
    [
      '{ leads { totalCount(zzzzzz: 1) } }',
      'Unknown argument "zzzzzz" on field "LeadConnection.totalCount". It has no arguments.',
    ],
    // Of many, the nearest.
    ['{ bottles }', /^Cannot query field "bottles" on type "Query"\. Its fields are (\w+, ){7}\w+ and \d+ more\.$/],
    [
      '{ leads(filter: { createdAt: { zzzzzz: 1 } }) { totalCount } }',
      /not to include unknown field "zzzzzz"\. Its fields are .*last/,
    ],
    [
      '{ leads(orderBy: { field: name, direction: upwards }) { totalCount } }',
      'Value "upwards" does not exist in "OrderDirection" enum. Its values are asc, desc.',
    ],
    [
      '{ leads { totalCount @include(zzzzzz: true) } }',
      /"zzzzzz" on directive "@include"\. Its only argument is if\.$/,
    ],
  ])('names what there is, where nothing is near: %s', async (query, message) => {
    const { error } = await post(JSON.stringify({ query }));
    expect(error?.message).toMatch(message);
    expect(error?.extensions).toEqual({ code: 'invalid_request', issues: [{ message: error?.message }] });
  });

  const long = 'z'.repeat(300);
  test.each([
    [{ filter: { zzzzzz: 1 } }, /^filter: .* unknown field "zzzzzz"\. Its fields are agent, (\w+, )+\w+\.$/],
    [{ filter: { createdAt: { zzzzzz: long } } }, /^filter\.createdAt: .* "zzzzzz"\. Its fields are .*last.*\.$/],
    [{ filter: { createdAt: { [long]: 1 } } }, /"z{100}…"\. Its fields are .*last.*\.$/],
    [
      { filter: { createdAtt: 1, agentId: long } },
      /^filter: .* unknown field "createdAtt"\. Did you mean "createdAt"[^?]*\?$/,
    ],
    [
      { direction: 'up "wards"' },
      'direction: Value "up "wards"" does not exist in "OrderDirection" enum. Its values are asc, desc.',
    ],
    [
      { direction: long },
      /^direction: Value "z{100}…" does not exist in "OrderDirection" enum\. Its values are asc, desc\.$/,
    ],
    [
      { direction: 4 },
      /^direction: Enum "OrderDirection" cannot represent non-string value: 4\. Its values are asc, desc\.$/,
    ],
  ])('names what there is for values of variables, too: %j', async (variables, message) => {
    const query = `query ($filter: LeadFilter = {}, $direction: OrderDirection! = asc) {
      leads(filter: $filter, orderBy: { field: name, direction: $direction }) { totalCount } }`;
    const { error } = await post(JSON.stringify({ query, variables }));
    expect(error?.message).toMatch(message);
    expect(error?.extensions).toEqual({ code: 'invalid_request', issues: [{ message: error?.message }] });
    const cost = '($operation: OperationInput!) { operationCost(operation: $operation) { cost } }';
    const priced = await post(
      JSON.stringify({ query: `query ${cost}`, variables: { operation: { query, variables } } }),
    );
    expect(priced.error?.message).toContain(error?.message.replace(/^[\w.]+: /, ''));
  });

  test('names nothing to who may run saved operations alone', async () => {
    const create = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { id } } }';
    await gateway.data(home.owner, create, { input: { name: 'all', document: '{ agents { totalCount } }' } });
    const createKey = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
    const made = await gateway.data(home.owner, createKey, { input: { name: 'page', operations: ['all'] } });
    const authorization = `Bearer ${made.createKey.secret}`;
    const { error } = await post(JSON.stringify({ query: '{ bottles }' }), { authorization });
    expect(error?.extensions.code).toBe('forbidden');
    expect(error?.message).not.toContain('bottles');
  });

  test.each([
    ['a document that does not parse', JSON.stringify({ query: '{ agents' })],
    ['a body that is not JSON', '{"query":'],
    ['a body without a query', '{}'],
    [
      'a variable of a wrong type',
      JSON.stringify({ query: 'query ($n: Int) { agents(first: $n) { totalCount } }', variables: { n: 'x' } }),
    ],
    ['a document of too many tokens', JSON.stringify({ query: `{ ${'a '.repeat(5_000)} }` })],
    ['a document that nests too deeply', JSON.stringify({ query: `${'{ a '.repeat(1_900)}${'}'.repeat(1_900)}` })],
    [
      'an operation of too many fields',
      JSON.stringify({
        query: `{ ${Array.from({ length: 501 }, (_, at) => `a${at}: agents { totalCount }`).join(' ')} }`,
      }),
    ],
  ])('refuses %s as invalid_request', async (_what, body) => {
    const { error, status } = await post(body);
    expect(error?.extensions.code).toBe('invalid_request');
    expect(status).toBeLessThan(500);
  });

  test('says which key of the input has a wrong value', async () => {
    const query = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { agent { id } } }';
    const { error } = await post(JSON.stringify({ query, variables: { input: { name: 'x', color: 'red' } } }));
    expect(error?.message).toMatch(/^color: /);
    const missing = await post(JSON.stringify({ query, variables: { input: {} } }));
    expect(missing.error?.message).toBe('name: is required');
  });

  test.each([
    ['query ($v: Int) { leads { countUpTo(limit: $v) { count } } }', 'limit: the variable $v must not be null'],
    [
      'query ($v: String) { leads { groups { nodes { by { hourOfDay(timeZone: $v) } count } } } }',
      'timeZone: the variable $v must not be null',
    ],
    ['query ($v: Boolean = true) { leads { totalCount @include(if: $v) } }', 'if: the variable $v must not be null'],
    [
      'query ($v: OrderDirection = asc) { leads(orderBy: {field: name, direction: $v}) { totalCount } }',
      'orderBy.direction: the variable $v must not be null',
    ],
  ])('refuses a variable that is null where the default alone made it valid: %s', async (query, message) => {
    const { error } = await post(JSON.stringify({ query, variables: { v: null } }));
    expect(error?.message).toBe(message);
    expect(error?.extensions.code).toBe('invalid_request');
  });

  test.each([
    ['1e400', '1e400'],
    ['-1E+309', '-1E+309'],
    ['9007199254740993', '9007199254740993'],
    ['9'.repeat(310), `${'9'.repeat(20)}…`],
  ])(
    'refuses a number that would be kept as null, or as another one, in the document too: %s',
    async (number, named) => {
      const inputs = [`{n: ${number}}`, `{list: [1e3, {deep: ${number}}]}`];
      for (const custom of inputs) {
        const query = `mutation { createLead(input: {name: "Too large", custom: ${custom}}) { lead { id custom } } }`;
        const { error } = await post(JSON.stringify({ query }));
        expect(error?.message).toBe(`${named} is a number too large to store exactly: send it as text.`);
        expect(error?.extensions).toEqual({ code: 'invalid_request', issues: [{ message: error?.message }] });
      }
      expect(await gateway.database.lead.count({ where: { name: 'Too large' } })).toBe(0);
    },
  );

  test.each(['*/*', 'application/json;q=0.5'])(
    'refuses a whole number in variables that would be kept as another one, whoever answers: %s',
    async (accept) => {
      const query = 'mutation ($i: CreateLeadInput!) { createLead(input: $i) { lead { id } } }';
      const variables = '{"i":{"name":"Inexact","custom":{"n":9007199254740993}}}';
      const { error } = await post(`{"query":${JSON.stringify(query)},"variables":${variables}}`, { accept });
      expect(error?.message).toContain('is a number too large to store exactly');
      expect(await gateway.database.lead.count({ where: { name: 'Inexact' } })).toBe(0);
    },
  );

  test('takes the largest numbers that there are as literals', async () => {
    const custom = '{large: 1.7976931348623157e308, small: -0.5, whole: 9007199254740991, text: "1e400"}';
    const query = `mutation { createLead(input: {name: "Large", custom: ${custom}}) { lead { custom } } }`;
    const data = await gateway.data(home.editor, query);
    expect(data.createLead.lead.custom).toEqual({
      large: Number.MAX_VALUE,
      small: -0.5,
      whole: Number.MAX_SAFE_INTEGER,
      text: '1e400',
    });
  });

  test('needs a bearer, and says so in the shape of GraphQL', async () => {
    const { status, headers, error } = await post('{"query":"{ __typename }"}', { authorization: '' });
    expect([status, headers.get('www-authenticate'), error?.extensions.code]).toEqual([401, 'Bearer', 'unauthorized']);
  });

  test('refuses a body over its limit, and other methods', async () => {
    const large = await post(JSON.stringify({ query: ' '.repeat(16_000_001) }));
    expect([large.status, large.error?.extensions.code]).toEqual([413, 'payload_too_large']);
    const put = await gateway.app.request('/graphql', { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, allow]);
  });

  test.each([
    'text/html',
    'application/xml;q=0.9, image/*',
    'application/json;q=0',
    'application/json; Q=0.00, text/csv;q=0',
    '*/*;q=0',
    'application/json;q=0, application/graphql-response+json;q=0, */*',
  ])('writes nothing for a caller that accepts %s alone', async (accept) => {
    const name = `Read by ${accept}`;
    const query = 'mutation ($name: String) { createLead(input: { name: $name }) { lead { id } } }';
    const { status, error } = await post(JSON.stringify({ query, variables: { name } }), { accept });
    expect([status, error?.extensions.code]).toEqual([415, 'unsupported_media_type']);
    expect(error?.message).toContain('Accept application/graphql-response+json, application/json or text/csv');
    expect(await gateway.database.lead.count({ where: { name } })).toBe(0);
  });

  test.each([
    ['application/json;q=0, */*', 'application/graphql-response+json'],
    ['application/*, application/json;q=0.0', 'application/graphql-response+json'],
    ['application/graphql-response+json;q=0, application/json', 'application/json'],
    ['*/*;q=0, application/json;q=0.1', 'application/json'],
    ['text/csv;q=0, application/json;q=0.001', 'application/json'],
    ['application/json;q=0, text/csv', 'text/csv'],
  ])('answers in no format that is refused: %s', async (accept, type) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${await gateway.bearer(home.editor)}`,
    };
    const body = JSON.stringify({ query: '{ agents { totalCount } }' });
    const response = await gateway.app.request('/graphql', { method: 'POST', headers: { ...headers, accept }, body });
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
  });

  test('sends no message by a subscription that is asked for as JSON', async () => {
    const { id: agentId } = await makeAgent(gateway, home.editor);
    const query = 'subscription ($input: SendMessageInput!) { streamMessage(input: $input) { id } }';
    const variables = { input: { agentId, message: { content: 'Hello' } } };
    for (const accept of ['application/json', 'application/json, text/event-stream;q=0']) {
      const { status, error } = await post(JSON.stringify({ query, variables }), { accept });
      expect([status, error?.extensions.code]).toEqual([415, 'unsupported_media_type']);
      expect(error?.message).toMatch(/^Accept text\/event-stream: /);
    }
    expect(await gateway.database.conversation.count({ where: { agentId } })).toBe(0);
  });

  test('tells its methods to OPTIONS', async () => {
    const options = await gateway.app.request('/graphql', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
  });
});

test('nodes takes up to 100 ids, so that one field cannot ask for the whole database', async () => {
  const ask = (count: number) =>
    gateway.graphql(home.viewer, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: Array.from({ length: count }, (_, i) => `agt_${String(i).padStart(26, '0')}`),
    });
  expect((await ask(100)).data.nodes).toHaveLength(100);
  expect((await ask(101)).errors).toMatchObject([
    { message: 'ids: must have at most 100 items, got 101.', extensions: { code: 'invalid_request' } },
  ]);
});

test.each(['/', '/health', '/ready', '/.well-known/jwks.json', '/openapi.json', '/reference'])(
  '%s answers a method that it does not take with 405 and Allow',
  async (path) => {
    const response = await gateway.app.request(path, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
    expect((await gateway.app.request(path)).status).toBeLessThan(400);
  },
);

test.each(['/files/none', '/files/', '/oauth/callback/', '/demo/none'])('%s is not found', async (path) => {
  const response = await gateway.app.request(path);
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
});

test.each(['/files/none/0', '/oauth/callback/none', '/demo/widget'])('%s takes GET alone', async (path) => {
  const response = await gateway.app.request(path, { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
