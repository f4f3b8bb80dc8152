import { Hono } from 'hono';
import type { Logger } from 'pino';
import { methodNotAllowed, notFound, type ParleyError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Viewer } from '../core/viewer.ts';
import type { Run } from '../graphql/run.ts';
import type { Stream } from '../graphql/stream.ts';
import { readJson } from '../http/body.ts';
import type { HttpContext, HttpVariables } from '../http/log/request-log.ts';
import { type StreamProtocol, streamResponse } from '../rest/stream.ts';
import { errorResponse } from './errors.ts';
import {
  CompleteDocument,
  ModelByIdDocument,
  ModelsDocument,
  type ModelsQuery,
  StopCompletionDocument,
  StreamCompletionDocument,
} from './generated/graphql.ts';
import { type CompletionRequest, readRequest } from './request.ts';
import { completionOf, createChunks, failureEvent, modelOf, type TurnEvent } from './response.ts';

type Dependencies = {
  run: Run;
  stream: Stream;
  authenticate: (c: HttpContext) => Promise<Viewer>;
  /** The error that the caller may see. */
  failureOf: (error: Error, c: HttpContext) => ParleyError;
  log: Logger;
  pingMs: number;
};

/** Names the conversation of a request and of its answer. */
const conversationHeader = 'x-parley-conversation';

/** Agents that are listed as models: OpenAI's list has no pages. */
const maxModels = 1_000;

const protocol: StreamProtocol = { headers: {}, failureEvent, done: '[DONE]' };

/** Agents as models of OpenAI's API: `/v1/models` lists them, `/v1/chat/completions` runs turns of them. */
export function createOpenAi(dependencies: Dependencies): Hono<{ Variables: HttpVariables }> {
  const { run, failureOf } = dependencies;
  const app = new Hono<{ Variables: HttpVariables }>();
  const begin = async (c: HttpContext, operation: string): Promise<Viewer> => {
    const viewer = await dependencies.authenticate(c);
    Object.assign(c.get('requestNotes'), { viewer, operation, route: c.req.routePath });
    return viewer;
  };

  app.get('/v1/models', async (c) => {
    const viewer = await begin(c, 'listModels');
    return c.json({ object: 'list', data: await readModels(run, viewer) });
  });
  app.get('/v1/models/:id', async (c) => {
    const viewer = await begin(c, 'retrieveModel');
    const { agent } = await run(ModelByIdDocument, { id: c.req.param('id') }, viewer);
    if (!agent) throw notFound('Agent');
    return c.json(modelOf(agent, viewer.workspaceId));
  });
  app.post('/v1/chat/completions', async (c) => {
    const viewer = await begin(c, 'createChatCompletion');
    const request = readRequest(await readJson(c.req.raw, limits.contentBody), {
      conversation: c.req.header(conversationHeader) || null,
      idempotencyKey: c.req.header('idempotency-key') || null,
    });
    if (request.stream) return streamed(c, request, viewer, dependencies);
    const { sendMessage: turn } = await run(CompleteDocument, { input: request.input }, viewer);
    if (!turn) throw new Error('A turn has no payload.');
    c.header(conversationHeader, turn.conversation?.id);
    return c.json(completionOf(turn, request.model));
  });
  for (const path of ['/v1/models', '/v1/models/:id', '/v1/chat/completions'])
    app.all(path, () => {
      throw methodNotAllowed(path.includes('completions') ? 'POST' : 'GET, HEAD');
    });
  app.all('/v1/*', (c) => {
    throw notFound(`The path ${c.req.path.slice(0, 200)} was`);
  });
  app.onError((error, c) => errorResponse(failureOf(error, c)));
  return app;
}

async function readModels(run: Run, viewer: Viewer): Promise<object[]> {
  const models: object[] = [];
  for (let after: string | null | undefined = null; after !== undefined && models.length < maxModels; ) {
    const { agents }: ModelsQuery = await run(ModelsDocument, { after }, viewer);
    models.push(...(agents?.nodes ?? []).flatMap((agent) => (agent ? [modelOf(agent, viewer.workspaceId)] : [])));
    after = agents?.pageInfo.hasNextPage ? agents.pageInfo.endCursor : undefined;
  }
  return models;
}

/**
 * Responds with the chunks of a turn, once it has begun: a failure before that has its own status. A caller who hangs
 * up stops the turn, since its reply could not be read any more.
 */
async function streamed(
  c: HttpContext,
  { input, model, includeUsage }: CompletionRequest,
  viewer: Viewer,
  { run, stream, log: ownLog, pingMs }: Dependencies,
): Promise<Response> {
  const log = c.get('log') ?? ownLog;
  const events = await stream(StreamCompletionDocument, { input }, viewer);
  const first = await events.next();
  const conversationId = first.done ? null : conversationIn(first.value.streamMessage);
  if (conversationId) c.header(conversationHeader, conversationId);
  const chunksOf = createChunks(model, includeUsage);
  const all = async function* () {
    try {
      if (!first.done) yield* chunksOf(first.value.streamMessage);
      for await (const { streamMessage } of events) yield* chunksOf(streamMessage);
    } finally {
      await events.return();
    }
  };
  const stop = () => {
    if (!conversationId) return;
    run(StopCompletionDocument, { conversationId }, viewer).catch((error: unknown) =>
      log.warn({ err: error, conversationId }, 'a turn whose caller hung up was not stopped'),
    );
  };
  const data = async function* () {
    for await (const chunk of all()) yield { data: chunk };
  };
  return streamResponse(c, { events: data(), pingMs, log, protocol, onAbort: stop });
}

function conversationIn({ part }: TurnEvent): string | null {
  const { messageMetadata } = part as { messageMetadata?: { conversationId?: string } };
  return messageMetadata?.conversationId ?? null;
}
