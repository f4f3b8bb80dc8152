import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/app.ts';
import { casesOf } from '../support/random/cases.ts';
import { options } from '../support/random/seed.ts';
import { operations, requests } from '../support/rest/operations.ts';
import { valuesFor } from '../support/rest/schema-values.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
});

/** FUZZ=n sends n requests of every operation. */
const each = Number(process.env.FUZZ ?? casesOf(20));
/** Rules that no schema can express: they depend on stored data, another field, or the bytes. */
const beyond =
  /is not a cursor|attachments\.\d+(\.data|\.url)?: |could not|cannot have options; choice|needs at least one option\.|has the form of the ids|with the format|Last-Event-ID: must be the id/;

test('of requests that the description takes, less than 1 in 100 are refused for their shape', async () => {
  const refused: string[] = [];
  let sent = 0;
  for (const operation of operations) {
    const { operationId, method, path, parameters = [], requestBody } = operation;
    const valid = requests[operationId]?.(world.ids) ?? {};
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valid.path?.[name] ?? ''));
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const shape = Object.fromEntries(query.map(({ name, schema }) => [name, valuesFor(schema)]));
    const requiredKeys = query
      .filter((parameter) => (parameter as { required?: boolean }).required)
      .map(({ name }) => name);
    const body = requestBody ? valuesFor(requestBody.content['application/json'].schema) : fc.constant(undefined);
    const samples = fc.sample(
      fc.record({ query: fc.record(shape, { requiredKeys }), body }),
      options(each, operationId) as object,
    );
    for (const sample of samples) {
      const search = new URLSearchParams(Object.entries(sample.query).map(([key, value]) => [key, String(value)]));
      const answer = await gateway.rest(world.owner, method, `${address}?${search}`, sample.body);
      sent++;
      expect(answer.status, JSON.stringify([operationId, sample])).toBeLessThan(500);
      if (answer.status !== 400) continue;
      const said = (answer.body.issues ?? [answer.body]).map(({ message }: { message: string }) => message);
      if (said.every((message: string) => beyond.test(message)) || answer.body.code !== 'invalid_request') continue;
      refused.push(`${operationId}: ${said.join('; ')} ${JSON.stringify(sample).slice(0, 300)}`);
    }
  }
  if (process.env.FUZZ) process.stdout.write(`${refused.length} of ${sent} refused\n${refused.join('\n')}\n`);
  expect(refused.length / sent, refused.slice(0, 20).join('\n')).toBeLessThan(0.01);
});
