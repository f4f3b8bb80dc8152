import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAst } from 'rolldown/parseAst';
import { expect, onTestFinished, test } from 'vitest';
import { createTranscribe } from '../../src/model/transcribe.ts';
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts';
import { renewGrant } from '../../src/plugins/oauth.ts';

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Where an error takes the place of a caught one without a part of it: how many such, and why nothing is lost. */
const known: Record<string, [count: number, why: string]> = {
  'src/auth/admin/admin-socket.ts': [1, 'what is no JSON is wrong in one way'],
  'src/auth/encryption/cipher.ts': [1, 'that its seal is broken is all that can be known'],
  'src/auth/identity-tokens.ts': [3, 'tells a forger nothing'],
  'src/auth/tokens.ts': [2, 'tells a forger nothing'],
  'src/auth/visitor-tokens.ts': [1, 'tells a forger nothing'],
  'src/backup/manifest.ts': [1, 'the file is missing, which is said'],
  'src/cli/shared/graphql-client.ts': [1, 'the deadline has passed, which is said'],
  'src/compiled/compiled-queries.ts': [1, 'the response is too large, which is said'],
  'src/lists/groups/read.ts': [1, 'the time zone is unknown, which is said'],
  'src/compiled/idempotent-writes.ts': [
    2,
    'the response is too large, which is said; or a `FinalFailure`, which has the cause',
  ],
  'src/database/pglite/embedded-folder.ts': [1, 'has the words of the database, or else of the error'],
  'src/database/pglite/folder-lock.ts': [1, 'the lock is held, which is said with whose it is'],
  'src/database/query/found.ts': [1, 'the row is missing, which is said'],
  'src/lists/time/zones.ts': [1, 'the time zone is unknown, which is said'],
  'src/domain/plugins/credential-tokens.ts': [1, 'the deadline has passed, which is said'],
  'src/domain/turns/run.ts': [2, 'the conversation is busy, which is said'],
  'src/http/body.ts': [4, 'is the fault of the caller, who is told which'],
  'src/knowledge/crawl/crawl.ts': [1, 'has the message'],
  'src/knowledge/extract/youtube.ts': [1, 'the site refuses us, which is said'],
  'src/model/reply/json-schema.ts': [2, 'is the fault of the caller, who is told which'],
  'src/net/guarded-fetch.ts': [1, 'is the reason why it was stopped'],
  'src/plugins/find-server.ts': [1, 'what is no address is of no issuer'],
  'src/plugins/read-document.ts': [2, 'is the fault of the document, which is named'],
  'src/rest/ui-chat.ts': [1, 'is the fault of the caller, who is told which'],
};

test('no error takes the place of another and forgets it', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => /\/(generated|browser|panels)(\/|$)/.test(name) });
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    if (!/catch|\.then\(/.test(text)) return [];
    return forgottenIn(parseAst(text, { lang: 'ts' })).map(({ start, end }) => [file, text.slice(start, end)] as const);
  });
  const counts = Object.entries(Object.groupBy(found, ([file]) => file)).map(([file, all = []]) => {
    // The number tells of those that were added, their texts which they are.
    return [file, all.length === known[file]?.[0] ? all.length : all.map(([, text]) => text)];
  });
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(Object.entries(known).map(([file, [count]]) => [file, count])),
  );
});

test('one that forgets it is found, however it is written', () => {
  const forgetful = [
    'try { f() } catch { throw new Error("a") }',
    'try { f() } catch (error) { log(error); throw unavailable("a") }',
    'try { f() } catch (error) { if (error instanceof A) throw new B("a"); throw error }',
    'f().catch(() => { throw new Error("a") })',
    'f().then(g, (error) => { throw new Error("a") })',
  ];
  const mindful = [
    'try { f() } catch (error) { throw new Error("a", { cause: error }) }',
    'try { f() } catch (error) { throw error }',
    'f().catch((error) => { throw wrapped(error) })',
    'f().then(g, ({ message }) => { throw new Error(message) })',
    'throw new Error("a")',
  ];
  for (const text of forgetful) expect([text, forgottenIn(parseAst(text)).length]).toEqual([text, 1]);
  for (const text of mindful) expect([text, forgottenIn(parseAst(text)).length]).toEqual([text, 0]);
});

function* walk(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const inner of Object.values(value)) yield* walk(inner);
}

const namesIn = (node: unknown) => [...walk(node)].flatMap(({ type, name }) => (type === 'Identifier' ? [name] : []));

/** What is thrown where an error was caught, and names neither it nor a part of it. */
function forgottenIn(program: unknown): Node[] {
  return [...walk(program)].flatMap((node) => {
    const handler = handlerIn(node);
    if (!handler) return [];
    const caught = namesIn(handler.param);
    return [...walk(handler.body)].filter(({ type, argument }) => {
      if (type !== 'ThrowStatement' || (argument as Node).type === 'Identifier') return false;
      return !namesIn(argument).some((name) => caught.includes(name));
    });
  });
}

/** Of `catch (error) {}`, and of the functions of `.catch()` and `.then(_, …)`. */
function handlerIn(node: Node): { param: unknown; body: unknown } | null {
  if (node.type === 'CatchClause') return { param: node.param, body: node.body };
  const { property } = (node.callee ?? {}) as { property?: { name?: string } };
  const given = (node.arguments ?? []) as (Node & { params?: unknown[] })[];
  const handles = property?.name === 'catch' || (property?.name === 'then' && given.length === 2);
  const handler = given.at(-1);
  return node.type === 'CallExpression' && handles && handler?.params
    ? { param: handler.params[0], body: handler.body }
    : null;
}

test('why a transcription model or a token server cannot be used goes with the failure', async () => {
  const server = createServer((_, response) => void response.end('a page'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = createGuardedFetch({ allowHosts: ['127.0.0.1'] });
  const client = { clientId: 'c', clientSecret: 's', authorizationUrl: origin, revocationUrl: '', scope: '' };
  await expect(renewGrant({ ...client, tokenUrl: `${origin}/token` }, 'refresh', { fetch })).rejects.toMatchObject({
    name: 'GrantRefused',
    cause: expect.any(Error),
  });
  const settings = { baseUrl: 'http://127.0.0.1:1', name: 'w', apiKey: null, timeoutMs: 60_000 };
  await expect(createTranscribe(settings)(new Uint8Array(9))).rejects.toMatchObject({
    name: 'TranscriptionFailure',
    cause: expect.any(Error),
  });
});
