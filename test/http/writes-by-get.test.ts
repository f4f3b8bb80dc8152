import { beforeAll, describe, expect, test } from 'vitest';
import { contentsOf } from '../support/database/rows-of.ts';
import { useGateway } from '../support/gateway/app.ts';
import { documentOf, type Root, rootFields } from '../support/graphql/shape.ts';
import { oneOfEach, verbOf } from '../support/random/cases.ts';
import { variablesOf } from '../support/world/inputs.ts';
import { makeWorld, type World } from '../support/world/world.ts';

/** Subscriptions that only read. */
const reading = ['baseProgress', 'newMessages', 'resumeChat', 'sourceProgress'];
const fields = (['Mutation', 'Subscription'] as const).flatMap((root) =>
  rootFields(root).map((field) => [field.name, root, field] as const),
);
const tried = [
  ...oneOfEach(
    fields.filter(([, root]) => root === 'Mutation'),
    ([name]) => verbOf(name),
  ),
  ...fields.filter(([, root]) => root === 'Subscription'),
];

describe.each(['on', 'off'])('with compiled queries %s, nothing is written by', (compiled) => {
  const gateway = useGateway({ COMPILED_QUERIES: compiled });
  let world: World;
  let before: Awaited<ReturnType<typeof contentsOf>>;
  // One world for all, since none changes it.
  beforeAll(async () => {
    world = await makeWorld(gateway);
    before = await contentsOf(gateway, world.id);
  });

  test.each(
    tried.flatMap(([name, root, field]) =>
      (['GET', 'HEAD'] as const).map((method) => [method, name, root, field] as const),
    ),
  )('%s of %s', async (method, name, root: Root, field) => {
    const parameters = new URLSearchParams({
      query: documentOf(root, field, 0),
      variables: JSON.stringify(variablesOf(field, world.ids)),
    });
    const stop = new AbortController();
    const response = await gateway.app.request(`/graphql?${parameters}`, {
      method,
      headers: {
        authorization: `Bearer ${await gateway.bearer(world.owner)}`,
        accept: root === 'Mutation' ? 'application/json' : 'text/event-stream',
      },
      signal: stop.signal,
    });
    if (reading.includes(name)) expect(response.status).toBe(200);
    else expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    await response.body?.cancel();
    stop.abort();
    expect(await contentsOf(gateway, world.id)).toEqual(before);
  });
});
