import pg from 'pg';
import { memoize } from '../../core/lazy.ts';

/** Members that node-postgres's types omit. */
type Connection = { _send(bytes: Buffer): void; describe(): void };
type QueryInternals = { prepare(connection: Connection): void };

const { prepare } = pg.Query.prototype as unknown as QueryInternals;

/** What a connection is asked, gathered to be sent at once. The server need not describe a result that is one text. */
class Gathered {
  readonly connection: Connection;
  #messages: Buffer[] = [];

  constructor(connection: Connection) {
    this.connection = Object.assign(Object.create(connection) as Connection, {
      _send: (message: Buffer) => void this.#messages.push(message),
      describe: () => {},
    });
  }

  take(): Buffer {
    const messages = this.#messages;
    this.#messages = [];
    return Buffer.concat(messages);
  }
}

const gatheredOf = memoize((connection: Connection) => new Gathered(connection));

/** A statement that returns one text or null, in a row or none. */
class TextQuery extends pg.Query {
  declare values: unknown[];
  declare name: string | undefined;
  found: string | null = null;

  constructor(text: string, values: unknown[], name: string | null) {
    super(text);
    this.values = values;
    this.name = name ?? undefined;
  }

  /** Sends the statement and its parameters. */
  prepare(connection: Connection): void {
    const gathered = gatheredOf(connection);
    prepare.call(this, gathered.connection);
    connection._send(gathered.take());
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.found = fields[0] ?? null;
  }
}

/** Runs a statement that returns one text or null, in a row or none; null of no row. */
export function queryText(
  client: pg.ClientBase,
  text: string,
  values: unknown[],
  name: string | null,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const query = new TextQuery(text, values, name);
    const done = (error: Error | null) => (error ? reject(error) : resolve(query.found));
    (client.query as (query: pg.Query, done: (error: Error | null) => void) => void).call(client, query, done);
  });
}
