import pino from 'pino';
import { createApp } from '../../../src/app.ts';
import type { Services } from '../../../src/context.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import type { Gateway, GraphQLAnswer } from '../gateway/app.ts';

type App = ReturnType<typeof createApp>;
export type Answer = { status: number; headers: Record<string, string>; body: string; served: boolean };

/** The same gateway twice over one database: with compiled queries (the compiled query), and with resolvers alone. */
export class BothWays {
  /** The compiled query's log line about the last request. */
  said = '';
  readonly #gateway: Gateway;
  /** By the gateway's services, so that they go when it is closed, whatever holds this. */
  readonly #apps = new WeakMap<Services, Record<'compiled' | 'resolvers', App>>();

  constructor(gateway: Gateway) {
    const { services } = gateway;
    const write = (line: string) => {
      // Request lines contain `compiled` only as a field.
      if (/compiled(?!":)/.test(line)) this.said = line;
    };
    const log = pino({ level: 'debug' }, { write });
    const withQueries = (compiledQueries: boolean) => ({
      ...services,
      log,
      config: { ...services.config, compiledQueries },
    });
    this.#gateway = gateway;
    const appOf = (compiledQueries: boolean) => createApp(withQueries(compiledQueries), async () => null);
    this.#apps.set(services, { compiled: appOf(true), resolvers: appOf(false) });
  }

  /** Sends a request to both. */
  async request(
    viewer: Viewer | string,
    path: string,
    init: RequestInit,
  ): Promise<{ compiled: Answer; resolvers: Answer }> {
    const compiled = await this.send('compiled', viewer, path, init);
    const { said } = this;
    const resolvers = await this.send('resolvers', viewer, path, init);
    this.said = said;
    return { compiled, resolvers };
  }

  /** Sends a request to one of them. */
  async send(by: 'compiled' | 'resolvers', viewer: Viewer | string, path: string, init: RequestInit): Promise<Answer> {
    this.said = '';
    const authorization = `Bearer ${await this.#gateway.bearer(viewer)}`;
    const headers = { ...(init.headers as Record<string, string>), authorization };
    const apps = this.#apps.get(this.#gateway.services);
    if (!apps) throw new Error('The gateway was closed.');
    return answerOf(await apps[by].request(path, { ...init, headers }));
  }

  /** Runs a GraphQL operation on both. */
  ask(viewer: Viewer | string, body: object | string, headers: Record<string, string> = {}) {
    return this.request(viewer, '/graphql', asked(body, headers));
  }

  /**
   * Runs a GraphQL operation on both, and returns their answer: the same, byte for byte, and compiled if it is no
   * refusal.
   */
  async agree(viewer: Viewer | string, query: string, variables: object = {}): Promise<GraphQLAnswer> {
    const { compiled, resolvers } = await this.ask(viewer, { query, variables });
    if (compiled.body !== resolvers.body) throw new Error(difference(compiled.body, resolvers.body));
    const answer = JSON.parse(resolvers.body) as GraphQLAnswer;
    if (!answer.errors && !compiled.served) throw new Error(`Resolvers answered: ${this.said}`);
    return answer;
  }

  /** Runs a GraphQL operation on one of them. */
  askOne(by: 'compiled' | 'resolvers', viewer: Viewer | string, body: object | string) {
    return this.send(by, viewer, '/graphql', asked(body));
  }
}

const asked = (body: object | string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(shown(body)),
});

const shown = ({
  query,
  variables,
  operationName,
}: {
  query?: string;
  variables?: object;
  operationName?: string;
}) => ({
  query,
  variables,
  operationName,
});

/** Headers that differ per request, or reveal which of the two answered. */
const own = ['x-request-id', 'date', 'x-parley-compiled'];

async function answerOf(response: Response): Promise<Answer> {
  const named = [...response.headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = Object.fromEntries(named.filter(([name]) => !own.includes(name)));
  const served = response.headers.has('x-parley-compiled');
  return { status: response.status, headers, body: await response.text(), served };
}

/** The first difference between two texts. */
export function difference(compiled: string, resolvers: string): string {
  let at = 0;
  while (at < compiled.length && compiled[at] === resolvers[at]) at += 1;
  const part = (text: string) => text.slice(Math.max(0, at - 200), at + 300);
  return `compiled:      ${part(compiled)}\nresolvers: ${part(resolvers)}`;
}
