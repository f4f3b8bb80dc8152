import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, statusOf } from '../../src/core/errors.ts';
import { idsOf } from '../support/database/rows-of.ts';
import { useGateway } from '../support/gateway/app.ts';
import { documentOf, rootFields, roots } from '../support/graphql/shape.ts';
import { casesOf, oneOfEach, verbOf } from '../support/random/cases.ts';
import { options, seed } from '../support/random/seed.ts';
import { operations } from '../support/rest/operations.ts';
import { brokenCall, brokenDocument, callOf, requestTo, type Sent } from '../support/rest/random-requests.ts';
import { makeWorld, type World } from '../support/world/world.ts';

type Answer = { status: number; headers: Headers; text: string };

const gateway = useGateway();
let world: World;
let others: string[];
let sent = 0;
beforeAll(async () => {
  world = await makeWorld(gateway);
  const stranger = await makeWorld(gateway);
  others = [...(await idsOf(gateway, world.id)), ...(await idsOf(gateway, stranger.id)), 'agt_', 'portal'];
});

const perBatch = casesOf(20);

/** Sends random requests, several at a time; a failure names the request and the seed that reproduces it. */
async function bombard(
  name: string,
  request: fc.Arbitrary<Sent>,
  batches: number,
  check: (answer: Answer, request: Sent) => void,
) {
  const batch = fc.array(request, { minLength: perBatch, maxLength: perBatch });
  const property = fc.asyncProperty(batch, async (all) => {
    await Promise.all(all.map(async (one) => explain(one, await send(one), check)));
  });
  await fc.assert(property, { ...options(batches, name), interruptAfterTimeLimit: 20_000 });
}

async function send({ path, method, headers, body }: Sent): Promise<Answer> {
  sent++;
  const authorization = `Bearer ${await gateway.bearer(world.owner)}`;
  const init = { method, headers: { authorization, ...headers }, ...(body !== undefined && { body }) };
  const response = await gateway.app.request(path, init);
  return { status: response.status, headers: response.headers, text: await textOf(response, String(body)) };
}

/** How long the first event of a stream that never ends by itself is waited for. */
const patienceMs = 1_000;

/** The text of a response; of a stream of new messages, the events of its first moments, as if it had ended then. */
async function textOf(response: Response, body: string): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body || !body.includes('newMessages')) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => void reader.cancel(), patienceMs);
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  clearTimeout(timer);
  return `${text}event: complete\n`;
}

function explain(request: Sent, answer: Answer, check: (answer: Answer, request: Sent) => void): void {
  try {
    check(answer, request);
  } catch (error) {
    const about = JSON.stringify({ request, status: answer.status, answer: answer.text.slice(0, 1_000) }, null, 1);
    throw new Error(`${(error as Error).message}\nFUZZ_SEED=${seed}\n${about}`, { cause: error });
  }
}

const machinery =
  /\bat .+:\d+:\d+|node_modules|prisma|postgres|pglite|\b(SELECT|INSERT INTO|UPDATE .+ SET|DELETE FROM)\b|constraint|Cannot read|is not a function|\[object Object\]/;
const faults: ErrorCode[] = ['internal_error', 'model_error', 'unavailable', 'model_timeout'];
const codes = (Object.keys(statusOf) as ErrorCode[]).filter((code) => !faults.includes(code));

/** Expects the error shape, a code that blames the caller, and no internal details. */
function expectErrorShape({ message, code, issues = [], ...rest }: Record<string, unknown>): void {
  expect(rest).toEqual({});
  expect(codes).toContain(code);
  for (const issue of issues as object[]) expect(issue).toEqual({ message: expect.any(String) });
  for (const told of [message, ...(issues as { message: string }[]).map((issue) => issue.message)]) {
    expect(told).toEqual(expect.any(String));
    expect(told).not.toMatch(machinery);
    expect(String(told).length).toBeLessThan(1_000);
  }
}

function checkRest({ status, headers, text }: Answer, { method }: Sent): void {
  expect(status).toBeLessThan(500);
  if (text === '') return expect(['HEAD', 'OPTIONS']).toContain(method);
  // A turn is streamed on request.
  if (status === 200 && headers.get('content-type')?.startsWith('text/event-stream')) return;
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  const body = JSON.parse(text);
  if (status === 200) return;
  expectErrorShape(body);
  expect(status).toBe(statusOf[body.code as ErrorCode]);
}

function checkGraph({ status, headers, text }: Answer): void {
  expect(status).toBeLessThan(500);
  // GraphQL streams on request too; a stream may end before its first event.
  const streams = headers.get('content-type')?.startsWith('text/event-stream');
  const first = streams ? /^event: next\ndata: (.*)$/m.exec(text)?.[1] : text;
  if (first === undefined) return expect(text).toMatch(/^event: complete$/m);
  const { data, errors = [], ...rest } = JSON.parse(first);
  expect(rest).toEqual({});
  if (errors.length === 0) return expect([status, typeof data]).toEqual([200, 'object']);
  const statuses = [200];
  for (const { message, extensions, path: _, locations: __, ...more } of errors) {
    expect(more).toEqual({});
    const { current, ...told } = extensions;
    // A conflict includes the current row.
    if (current !== undefined) expect([told.code, typeof current]).toEqual(['conflict', 'object']);
    expectErrorShape({ message, ...told });
    statuses.push(statusOf[extensions.code as ErrorCode]);
  }
  expect(statuses).toContain(status);
}

describe('whatever is sent, REST answers as it promised:', () => {
  test.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', async (id, operation) => {
    await bombard(id, requestTo(operation, world, others), 3, checkRest);
  });
});

describe('whatever is sent, the graph answers as it promised:', () => {
  const fields = roots.flatMap((root) => rootFields(root).map((field) => ({ root, field })));

  const called = fields.map(({ root, field }) => [`${root} ${field.name}`, root, field] as const);
  test.each(oneOfEach(called, ([, root, { name }]) => (root === 'Query' ? name : verbOf(name))))(
    '%s',
    async (name, root, field) => {
      await bombard(name, callOf(root, field, world, others), 1, checkGraph);
    },
  );

  test('broken documents', async () => {
    const documents = fields.map(({ root, field }) => documentOf(root, field, 1));
    await bombard('documents', brokenDocument(documents), 15, checkGraph);
  });

  test('broken requests', async () => {
    await bombard('requests', brokenCall(), 15, checkGraph);
  });
});

test('that was no small number of requests', () => {
  expect(sent).toBeGreaterThan(casesOf(3_000));
});
