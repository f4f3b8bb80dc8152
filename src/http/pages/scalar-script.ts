import scalar from '@scalar/fastify-api-reference';

const path = '/js/scalar.js';

/**
 * Scalar's viewer as a single self-contained script. It is bundled in Scalar's Fastify plugin, which has 28
 * dependencies where the viewer's own package has 272, so the plugin is given a stub app and its route handler called
 * for the script.
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
