import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWidgets, type Widget } from '../support/browser/widget.ts';
import { readEvents } from '../support/conversations/event-stream.ts';

let world: Awaited<ReturnType<typeof openWidgets>>;
let widget: Widget;
beforeAll(async () => {
  world = await openWidgets();
  widget = await world.make();
});
afterAll(() => world.gateway.close());

test.each([
  ['length', true],
  ['stop', false],
] as const)('a visitor is told whether an answer was cut off: %s', async (finish, cutOff) => {
  const { token } = await world.enter(widget);
  world.scripted.held = true;
  const asking = world.ask(token, { content: 'Long?' });
  const call = await world.scripted.next();
  world.scripted.held = false;
  call.say('It is');
  call.end({ finish });
  const parts = (await readEvents(await asking).rest()).map(({ data }) => data);
  const [told] = parts.filter(({ type }) => type === 'finish');
  expect(told?.messageMetadata).toMatchObject({ cutOff, stopped: false });
  const [turn] = parts.filter(({ type }) => type === 'data-turn');
  expect(turn?.data).toMatchObject({ messages: [{ content: 'It is', cutOff, stopped: false }] });
});
