import { beforeAll, describe, expect, test } from 'vitest';
import type { Viewer } from '../../../src/core/viewer.ts';
import { BothWays } from '../../support/compiled/both-ways.ts';
import { useGateway } from '../../support/gateway/app.ts';
import { makeAgent, makeWorkspace } from '../../support/gateway/factories.ts';

const gateway = useGateway();
let bothWays: BothWays;
let owner: Viewer;
let agentId: string;
const mutation = 'mutation ($name: String) { createLead(input: { name: $name }) { lead { id } } }';
beforeAll(async () => {
  bothWays = new BothWays(gateway);
  ({ owner } = await makeWorkspace(gateway));
  ({ id: agentId } = await makeAgent(gateway, owner));
  const input = { name: 'lead', document: mutation };
  const query = 'mutation ($input: CreateOperationInput!) { createOperation(input: $input) { operation { name } } }';
  await gateway.data(owner, query, { input });
});

const text = 'Written by a refused body';
const bodies: [what: string, path: () => string, body: object][] = [
  ['a query', () => '/graphql', { query: `{ leads(search: "${text}") { totalCount } }` }],
  ['a mutation', () => '/graphql', { query: mutation, variables: { name: text } }],
  ['a saved operation', () => '/graphql', { documentId: 'lead', variables: { name: text } }],
  ['a resolver’s query', () => '/graphql', { query: '{ __schema { queryType { name } } }', variables: { text } }],
  ['a write of REST', () => '/rest/leads', { name: text }],
  ['a write of REST by resolvers', () => '/rest/bases', { description: text, sources: [] }],
  ['a turn', () => `/api/${agentId}`, { message: { content: text } }],
];

/** Sends a body to both ways, and expects of each the same refusal, and that nothing was written. */
async function expectRefusal(path: string, init: RequestInit, refusal: object) {
  const headers = { 'content-type': 'application/json', ...(init.headers as object) };
  const answers = await bothWays.request(owner, path, { method: 'POST', ...init, headers });
  for (const { status, body } of Object.values(answers)) {
    const { errors, ...own } = JSON.parse(body);
    const { message, code } = errors ? { ...errors[0], ...errors[0].extensions } : own;
    expect({ status, message, code }).toEqual(refusal);
  }
  expect(await gateway.database.lead.count()).toBe(0);
  expect(await gateway.database.message.count()).toBe(0);
}

describe('whatever would answer, a body is refused', () => {
  const compressed = {
    status: 415,
    code: 'unsupported_media_type',
    message: 'Send the body uncompressed, without a Content-Encoding.',
  };
  // The bodies are not compressed, so that nothing but the header tells that they should be.
  test.each(
    bodies.flatMap(([what, ...rest]) => ['gzip', 'br', 'unknown'].map((coding) => [what, coding, ...rest] as const)),
  )('of %s with Content-Encoding: %s', async (_what, coding, path, body) => {
    const init = { headers: { 'content-encoding': coding }, body: JSON.stringify(body) };
    await expectRefusal(path(), init, compressed);
  });

  const faults: [what: string, bytes: number[]][] = [
    ['a byte of Latin-1', [0xff]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ];
  const notUtf8 = {
    status: 400,
    code: 'invalid_request',
    message: 'The body is not valid UTF-8: encode it in UTF-8.',
  };
  test.each(['%FF', '%c3', 'a%ED%A0%80'])('as a form or an address with %s', async (bytes) => {
    const asked = `query={leads(search:"${bytes}"){totalCount}}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await expectRefusal('/graphql', { headers, body: asked }, notUtf8);
    const answer = await gateway.app.request(`/graphql?${asked}`, {
      headers: { authorization: `Bearer ${await gateway.bearer(owner)}` },
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('The address is not valid UTF-8'),
    ]);
  });
  test.each(
    bodies.flatMap(([what, ...rest]) => faults.map(([fault, bytes]) => [what, fault, bytes, ...rest] as const)),
  )('of %s with %s', async (_what, _fault, bytes, path, body) => {
    const [before = '', after = ''] = JSON.stringify({ ...body, note: '|' }).split('|');
    const sent = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    await expectRefusal(path(), { body: new Uint8Array(sent) }, notUtf8);
  });
});
