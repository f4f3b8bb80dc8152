import { beforeAll, expect, test } from 'vitest';
import { type RestAnswer, useGateway } from '../support/gateway/app.ts';
import { call, operations, requests } from '../support/rest/operations.ts';
import { type Fault, faultsOf } from '../support/rest/schema-faults.ts';
import { checkerOf } from '../support/rest/schema-values.ts';
import { makeWorld, type World } from '../support/world/world.ts';

const gateway = useGateway();
let world: World;
beforeAll(async () => {
  world = await makeWorld(gateway);
});

const shortened = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 80);
/** The least body limit in bytes; a longer text is refused for its size. */
const bodyLimit = 1_000_000;

test.each(operations.filter(({ requestBody }) => requestBody).map((one) => [one.operationId, one] as const))(
  'what the description of the body of %s forbids is refused, by its key',
  async (operationId, operation) => {
    const schema = operation.requestBody?.content['application/json'].schema ?? {};
    const takes = checkerOf(schema);
    const valid = requests[operationId]?.(world.ids) ?? {};
    expect(takes(valid.body)).toBe(true);
    const faults = faultsOf(schema, valid.body).filter(({ value }) => !takes(value));
    expect(faults.length).toBeGreaterThan(0);
    const ask = (value: unknown) => call(gateway, world.owner, operation, { ...valid, body: value as object as never });
    expect(await notRefused(faults, ask)).toEqual([]);
  },
);

test.each(
  operations.flatMap((one) => {
    const parameters = (one.parameters ?? []).filter((parameter) => parameter.in === 'query');
    return parameters.length > 0 ? [[one.operationId, one, parameters] as const] : [];
  }),
)(
  'what the description of the query of %s forbids is refused, by its key',
  async (operationId, operation, parameters) => {
    const valid = requests[operationId]?.(world.ids) ?? {};
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const required = parameters.flatMap((parameter) =>
      (parameter as { required?: boolean }).required ? [parameter.name] : [],
    );
    const schema = { type: 'object', properties, required };
    const takes = checkerOf(schema);
    // A URL contains only text: other values are written as text, and parsed according to the schema.
    const faults = faultsOf(schema, valid.query ?? {}).filter(
      ({ bad, value }) =>
        (bad === undefined || ['string', 'number'].includes(typeof bad)) && !takes(value) && !takes(asRead(value)),
    );
    const ask = (value: unknown) =>
      call(gateway, world.owner, operation, { ...valid, query: value as Record<string, string> });
    expect(await notRefused(faults, ask)).toEqual([]);
  },
);

/** A query value as the gateway may parse it. */
const asRead = (value: unknown) =>
  Object.fromEntries(Object.entries(value as object).map(([key, text]) => [key, String(text)]));

/** The faults that do not result in 400 with an issue that names the path. */
async function notRefused(faults: Fault[], ask: (value: unknown) => Promise<RestAnswer>): Promise<string[]> {
  const wrong: string[] = [];
  for (const fault of faults) {
    const { status, body } = await ask(fault.value);
    if (status === 413 && JSON.stringify(fault.bad).length > bodyLimit) continue;
    const said = ((body.issues ?? []) as { message: string }[]).map(({ message }) => message);
    if (status === 400 && said.some((message) => names(message, fault))) continue;
    wrong.push(`${fault.path.join('.')} as ${shortened(fault.bad)}: ${status} ${said.join('; ') || shortened(body)}`);
  }
  if (process.env.FUZZ) process.stdout.write(`${wrong.length} of ${faults.length} are not refused\n`);
  return wrong;
}

/** Whether an issue names the path, a parent, a key that an emptied object lacks, or the accepted values. */
function names(message: string, { path, bad }: Fault): boolean {
  const [place = ''] = message.split(': ');
  const whole = path.join('.');
  if (whole === place || whole.startsWith(`${place}.`)) return true;
  if (typeof bad === 'object' && place.startsWith(`${whole}.`)) return true;
  return new RegExp(`^At least one of .*\\b${path[0]}\\b`).test(message);
}
