import { executeSubscriptionEvent, parse, validate, validateSubscriptionArgs } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../schema/index.ts';
import { answersOfPlainEvents } from '../../src/graphql/streams/plain-events.ts';
import { Random } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const roots = ['streamMessage(input: { agentId: "agt_1", message: {} })', 'resumeChat(agentId: "agt_1", chat: "1")'];
const leaves = [
  'id',
  'part',
  '__typename',
  'other: id',
  'turn: part',
  '__proto__: part',
  'turn { conversation { id } }',
];
const events = [
  { id: 'msg_1.0', position: 0, part: { type: 'text-delta', id: '0', delta: 'Ein "Wort"\n' }, result: null },
  { id: 'msg_1.1', position: 1, part: {}, result: null },
  { id: 'msg_1.2', position: 2, part: null, result: null },
];

/** Fields in random order and nesting; some of them skipped. */
function selection(random: Random, fields: string[], depth = 0): string {
  const parts = random.some(fields, 0.6).map((field) => {
    const directive = random.pick(['', '', ' @skip(if: $yes)', ' @include(if: $yes)', ' @include(if: $no)']);
    if (depth > 1 || random.chance(0.6))
      return field.includes('{') ? field.replace(' {', `${directive} {`) : field + directive;
    const inner = selection(random, [field], depth + 1);
    return `${random.pick(['...', '... on TurnEvent'])}${directive} { ${inner} }`;
  });
  return random.chance(0.3) ? `${parts.join(' ')} ...Rest` : parts.join(' ');
}

function argsOf(document: string) {
  const parsed = parse(document);
  const variableValues = { yes: true, no: false };
  if (validate(schema, parsed).length > 0) return null;
  const args = validateSubscriptionArgs({ schema, document: parsed, variableValues, contextValue: {} });
  if (!('schema' in args)) throw new Error(args.join());
  return args;
}

test('an event without rows is answered as the executor does, whatever is selected of it', async () => {
  const random = new Random(seed);
  let compared = 0;
  for (let round = 0; round < 400; round++) {
    const field = `${random.pick(['', 'answer: '])}${random.pick(roots)}`;
    const root = () => `${field} { ${selection(random, leaves)} }`;
    const document = `
      subscription ($yes: Boolean = true, $no: Boolean = false) {
        ${root()} ${random.chance(0.3) ? root() : ''} ${random.chance(0.3) ? `... on Subscription { ${root()} }` : ''}
      }
      fragment Rest on TurnEvent { ${selection(random, ['id', '__typename']).replace('...Rest', '')} }`;
    const args = argsOf(document);
    if (!args) continue;
    const answer = answersOfPlainEvents(args);
    for (const rootValue of events) {
      const plain = answer?.(rootValue);
      // JSON, with keys in their order; null in a field that cannot be null takes the executor.
      const executed = await executeSubscriptionEvent({ ...args, rootValue });
      if (plain) expect(JSON.stringify(plain), document).toBe(JSON.stringify(executed));
      else expect(rootValue.part, document).toBeNull();
      if (plain) compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(200);
});

test.each([
  ['a condition that is null', 'id @skip(if: $nothing)'],
  ['a part for later', 'id ... @defer { part }'],
])('%s takes the executor, which refuses it', (_, selected) => {
  const document = parse(
    `subscription ($nothing: Boolean = true) { resumeChat(agentId: "agt_1", chat: "1") { ${selected} } }`,
  );
  const args = validateSubscriptionArgs({ schema, document, variableValues: { nothing: null }, contextValue: {} });
  expect('schema' in args && answersOfPlainEvents(args)).toBeNull();
});

test('an event with rows to load takes the executor', () => {
  const args = argsOf('subscription { resumeChat(agentId: "agt_1", chat: "1") { id turn { conversation { id } } } }');
  const answer = args && answersOfPlainEvents(args);
  expect(answer?.(events[0])).toEqual({ data: { resumeChat: { id: 'msg_1.0', turn: null } } });
  expect(answer?.({ ...events[0], result: { conversationId: 'cnv_1', messageIds: [] } })).toBeNull();
});

test('a subscription whose events are rows takes the executor', () => {
  const args = argsOf('subscription { newMessages(conversationId: "cnv_1") { id } }');
  expect(args && answersOfPlainEvents(args)).toBeNull();
});
