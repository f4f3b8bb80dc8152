import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import type { Hono } from 'hono';
import { afterAll, beforeAll, expect } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import { newKey } from '../../../src/auth/encryption/key-file.ts';
import { createSecrets } from '../../../src/auth/encryption/secrets.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Services } from '../../../src/context.ts';
import type { ErrorBody } from '../../../src/core/errors.ts';
import type { MemberRole } from '../../../src/core/roles.ts';
import type { Viewer } from '../../../src/core/viewer.ts';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { createLog } from '../../../src/http/log/request-log.ts';
import { type Jobs, startJobs } from '../../../src/jobs/start.ts';
import { createServices } from '../../../src/services.ts';
import { borrowDatabase } from '../database/shared-database.ts';

export type GraphQLAnswer = {
  data: any;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: { code: string; issues?: { message: string }[] };
  }[];
};
export type RestAnswer = { status: number; headers: Headers; body: any };

type TestApp = Hono & Pick<App, 'checkAlerts'>;

/** A gateway for tests: its fetch handler, on its own database. */
export type Gateway = {
  app: TestApp;
  services: Services;
  database: Services['database'];
  handle: DatabaseHandle;
  /** Runs a GraphQL operation over HTTP as a viewer, or with a raw bearer; null sends none. */
  graphql(
    viewer: Viewer | string | null,
    document: string | TypedDocumentNode,
    variables?: object,
  ): Promise<GraphQLAnswer>;
  /** Like `graphql`, but returns the data; fails the test on errors. */
  data(
    viewer: Viewer | string,
    document: string | TypedDocumentNode,
    variables?: object,
  ): Promise<GraphQLAnswer['data']>;
  /** Calls a REST path as a viewer: `rest(viewer, 'POST', '/rest/leads', body)`. */
  rest(
    viewer: Viewer | string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: object,
  ): Promise<RestAnswer>;
  /** The bearer of a viewer, for its type of credential; a string is one already. */
  bearer(viewer: Viewer | string): Promise<string>;
  /** Runs background jobs until `close`, by default with this gateway's services. */
  work(services?: Services): Promise<void>;
  close(): Promise<void>;
};

/** One key for all: they use the same database. */
const secrets = createSecrets([newKey()]);

/** The data folder of this process's gateways; replicas share it. */
const dataFolder = join(tmpdir(), `parley-test-${process.pid}`);
process.once('exit', () => rmSync(dataFolder, { recursive: true, force: true }));

/**
 * Opens a gateway. `env` holds settings as environment variables; `services` replaces some of its services;
 * `database` is an existing database to use.
 */
export async function openGateway(
  env: Record<string, string> = {},
  services: Partial<Services> = {},
  database?: DatabaseHandle,
): Promise<Gateway> {
  const handle = database ?? (await borrowDatabase());
  const config = readConfig({
    LOG_LEVEL: 'silent',
    FETCH_ALLOW_HOSTS: '127.0.0.1',
    DATA_DIR: dataFolder,
    ...(process.env.COMPILED_QUERIES && { COMPILED_QUERIES: process.env.COMPILED_QUERIES }),
    ...env,
  });
  const log = services.log ?? createLog(config.logLevel);
  const all = { ...createServices({ config, handle, log, secrets }), ...services };
  const app = createApp(all, async () => null) as unknown as TestApp;
  const working: Jobs[] = [];
  const bearers = new Map<string, Promise<string>>();

  const bearer = async (viewer: Viewer | string) => {
    if (typeof viewer === 'string') return viewer;
    const key = JSON.stringify(viewer);
    const known = bearers.get(key) ?? issue(all, viewer);
    bearers.set(key, known);
    return known;
  };
  const authorize = async (viewer: Viewer | string | null): Promise<Record<string, string>> =>
    viewer === null ? {} : { authorization: `Bearer ${await bearer(viewer)}` };

  const graphql: Gateway['graphql'] = async (viewer, document, variables) => {
    const query = typeof document === 'string' ? document : print(document);
    const response = await app.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await authorize(viewer)) },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as GraphQLAnswer;
  };

  const gateway: Gateway = {
    app,
    services: all,
    database: handle.client,
    handle,
    graphql,
    bearer,
    async data(viewer, document, variables) {
      const answer = await graphql(viewer, document, variables);
      expect(answer.errors).toBeUndefined();
      return answer.data;
    },
    async rest(viewer, method, path, body, headers = {}) {
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await app.request(path, {
        method,
        headers: { ...json, ...(await authorize(viewer)), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    async work(services = all) {
      const jobs = startJobs(services);
      working.push(jobs);
      await jobs.started;
    },
    async close() {
      try {
        await Promise.all(working.map((jobs) => jobs.close()));
        await all.queue.close();
      } finally {
        await handle.close();
        release(gateway);
      }
    },
  };
  return gateway;
}

/** The module of a test file lives as long as the process, and so would what its variables hold. */
function release(gateway: Gateway): void {
  for (const name of Object.keys(gateway)) delete gateway[name as keyof Gateway];
}

async function issue({ tokens, secrets, database }: Services, viewer: Viewer): Promise<string> {
  const { workspaceId, userId, membershipId, role, credential } = viewer;
  const isMember = role !== 'app' && role !== 'visitor' && role !== 'invited' && userId && membershipId;
  const identity = { workspaceId, userId: userId ?? '', membershipId: membershipId ?? '', role: role as MemberRole };
  if (isMember && credential === 'minted') return tokens.sign({ ...identity, credential, maker: { membershipId } });
  if (isMember && (credential === 'person' || credential === 'operator'))
    return tokens.sign({ ...identity, credential });
  const where = { workspaceId_id: { workspaceId, id: viewer.appId ?? '' } };
  return secrets.decrypt((await database.app.findUniqueOrThrow({ where })).secretCipher);
}

/**
 * A gateway for all tests of a file, opened before the first and closed after the last. `open` opens its database:
 * `testDatabase` one that no other file used, for what depends on statistics or on deleted rows.
 */
export function useGateway(env: Record<string, string> = {}, open = borrowDatabase): Gateway {
  const gateway = {} as Gateway;
  beforeAll(async () => {
    Object.assign(gateway, await openGateway(env, {}, await open()));
  });
  afterAll(async () => {
    await gateway.close();
    release(gateway);
  });
  return gateway;
}

/** Expects a GraphQL answer to fail with this code; returns its first error. */
export function expectFailure(answer: GraphQLAnswer, code: ErrorBody['code'], message?: string | RegExp) {
  const error = answer.errors?.[0];
  expect({ code: error?.extensions.code, message: error?.message }).toEqual({
    code,
    message: message === undefined ? expect.any(String) : expect.stringMatching(message),
  });
  return error;
}
