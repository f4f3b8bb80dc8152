import scalar from '@scalar/fastify-api-reference';

const path = '/js/scalar.js';

/**
 * Scalar's viewer, one script that needs no other file. The package of its plugin for Fastify has it inside, with 28 packages
 * about it, where the viewer's own package brings 272: the plugin is given what it registers routes on, and asked for the script.
 */
export async function scalarScript(): Promise<string> {
  const scripts: string[] = [];
  const reply = { header: () => reply, send: (body: string) => scripts.push(body) };
  const route = ({ url, handler }: { url: string; handler: (request: unknown, reply: unknown) => unknown }) => {
    if (url.endsWith(path)) handler({}, reply);
  };
  const plugin = scalar as unknown as (app: object, options: object, done: () => void) => unknown;
  await new Promise<void>((done) => plugin({ route }, { configuration: { url: '/openapi.json' } }, done));
  const [script] = scripts;
  if (!script) throw new Error(`The package of the API reference has no ${path}`);
  return script;
}
