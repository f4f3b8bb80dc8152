/** Preloaded to break the gateway: its requests wait for the database without a limit. */
import pg from 'pg';
import { Deadline } from '../../../src/database/deadline.ts';

Deadline.prototype.begin = () => {};

type Limits = Record<string, unknown>;
const client = pg.Client.prototype as unknown as { connectionParameters: Limits; query(...args: unknown[]): unknown };
const { query } = client;
client.query = function (...args) {
  this.connectionParameters.query_timeout = 0;
  return query.apply(this, args);
};
