import { accepts } from 'hono/accepts';
import { ParleyError } from '../core/errors.ts';
import type { Viewer } from '../core/viewer.ts';
import { alertOfTile, requireDashboard } from '../domain/dashboards/dashboards.ts';
import { checkPage } from '../domain/dashboards/page.ts';
import type { Tile } from '../domain/dashboards/tiles.ts';
import { abortable } from '../domain/shared/abortable-generator.ts';
import { readKnown } from '../graphql/saved/known.ts';
import { type Page, tileBroken, tileVariables, whyTileBroken } from '../graphql/saved/tiles.ts';
import { bodyOfFailure } from '../graphql/unavailable.ts';
import type { HttpContext } from '../http/log/request-log.ts';
import { streamResponse } from '../rest/stream.ts';
import { asJson, formats } from './formats.ts';
import type { SavedRunner } from './operation.ts';
import { protocol } from './stream.ts';
import { resultOf, type Watches } from './watch.ts';

type Asked = { documentId: string; variables: Record<string, unknown>; onlyQuery: true };
type Result = { data?: unknown; errors?: { message: string; extensions?: { code?: string } }[] };
/** The result of a tile, by its position on the board. */
type Event = { data: { tile: number } & Result };

/**
 * Responds with the results of all tiles of a dashboard as one stream, and with each that differs from the one before:
 * browsers open few connections to one host. `last` and `timeZone` of the address replace those of the board. Where
 * JSON is accepted instead, responds with the board itself, but without documents and variables.
 */
export async function showBoard(
  c: HttpContext,
  name: string,
  viewer: Viewer,
  { schema, services, execute, admitAgain, watches }: SavedRunner & { watches: Watches },
): Promise<Response> {
  const context = { ...services, viewer };
  // Why a tile cannot be drawn names what its query asks for, which is for who may read that.
  const isLink = Boolean(viewer.key?.dashboardId);
  const board = await requireDashboard(context, name);
  const page = pageOf(c, board);
  const type = accepts(c, { header: 'Accept', supports: [stream, formats.json], default: stream });
  // A stream without a reader would never end.
  if (type === stream && c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': stream });
  const names = board.tiles.flatMap(({ operation }) => operation ?? []);
  const where = { workspaceId: viewer.workspaceId, name: { in: names } };
  const operations = await services.database.savedOperation.findMany({ where });
  if (type === formats.json)
    return c.json({
      id: board.id,
      name: board.name,
      title: board.title,
      description: board.description,
      ...page,
      tiles: await Promise.all(board.tiles.map(described)),
    });
  const sources = await Promise.all(board.tiles.map(sourceOf));
  const { config, log } = services;
  return streamResponse(c, {
    events: merged(sources.flat()),
    pingMs: config.streamPingMs,
    log: c.get('log') ?? log,
    protocol,
  });

  async function sourceOf(tile: Tile, at: number): Promise<AsyncGenerator<Event, void>[]> {
    if (!tile.operation) return [];
    const saved = operations.find((one) => one.name === tile.operation) ?? null;
    const why = await whyTileBroken(schema, tile, saved, page);
    const operation = saved && (await readKnown(schema, saved.document)).operation;
    if (why !== null || !operation) return [failed(at, isLink ? null : why)];
    const variables = tileVariables(operation, tile, page);
    return [results(at, { documentId: tile.operation, variables, onlyQuery: true })];
  }

  async function described(tile: Tile) {
    const { variables: _, operation: operationName, alert: _rule, ...shown } = tile;
    const alert = await alertOfTile(context, { ...tile, dashboardId: board.id });
    const saved = operations.find(({ name }) => name === operationName);
    const values = saved && (await readKnown(schema, saved.document)).values;
    const operation = saved && { description: saved.description, values };
    // Why is for who may read the operation.
    const state = alert && {
      id: alert.id,
      state: alert.state,
      since: alert.since,
      pausedReason: alert.pausedReason && 'It is paused.',
      waitingReason: null,
    };
    return { operationName, operation: operation ?? null, ...shown, alert: state };
  }

  function results(tile: number, asked: Asked): AsyncGenerator<Event, void> {
    const { spend: _, ...rights } = viewer;
    // Apart from those who watch the operation alone: what fails is a result of a tile, and does not end the stream.
    const key = JSON.stringify(['tile', rights, asked]);
    return abortable(async function* (signal) {
      const first = resultOf(await bodyOf(() => execute(asked, viewer, {})));
      const following = watches.follow({
        key,
        workspaceId: viewer.workspaceId,
        first,
        known: null,
        look: async () => {
          const again = await admitAgain(viewer);
          return bodyOf(() => execute(asked, again, {}), true);
        },
      });
      signal.addEventListener('abort', () => void following.return());
      for await (const { body } of following) {
        const result: Result = JSON.parse(body);
        yield { data: { tile, ...(isLink ? withoutReasons(result) : result) } };
      }
    });
  }
}

/** The body of a result, or of what it fails with. Throws what may pass, if `again`: the last result stays. */
async function bodyOf(run: () => Promise<Response>, again = false): Promise<string> {
  try {
    const response = await asJson(await run());
    if (again && (response.status === 429 || response.status === 503))
      throw new ParleyError(response.status === 429 ? 'rate_limited' : 'unavailable', 'Try again later.');
    return await response.text();
  } catch (error) {
    if (!(error instanceof ParleyError) || (again && passing.has(error.code))) throw error;
    return JSON.stringify({ data: null, ...bodyOfFailure(error) });
  }
}

/** The result without why a request is not valid, which repeats values of its variables. */
function withoutReasons({ errors, ...result }: Result): Result {
  if (!errors) return result;
  const refused = { message: tileBroken(null) };
  const shown = errors.map((error) => (error.extensions?.code === 'invalid_request' ? refused : error));
  return { ...result, errors: shown };
}

const stream = 'text/event-stream';
const passing = new Set(['rate_limited', 'unavailable']);

/** Stays open: a stream that ends is one to open again. */
const failed = (tile: number, why: string | null): AsyncGenerator<Event, void> =>
  abortable(async function* (signal) {
    yield { data: { tile, errors: [{ message: tileBroken(why) }] } };
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  });

/** The time range and zone of the board, or those of the address. Throws 400. */
function pageOf(c: HttpContext, board: Page): Page {
  const last = c.req.query('last') || board.last;
  const timeZone = c.req.query('timeZone') || board.timeZone;
  return checkPage({ last, timeZone });
}

/**
 * Yields what any of the sources yields, as it comes. A slow reader gets the latest of each. Throws what one throws.
 */
function merged<Item>(sources: AsyncGenerator<Item, void>[]): AsyncGenerator<Item, void> {
  return abortable(async function* (signal) {
    const ready = new Map<number, Item>();
    let failure: { error: unknown } | undefined;
    let open = sources.length;
    let wake = () => {};
    const leave = () => {
      for (const source of sources) void source.return();
      wake();
    };
    signal.addEventListener('abort', leave);
    const pump = async (source: AsyncGenerator<Item, void>, at: number) => {
      try {
        for await (const item of source) {
          ready.set(at, item);
          wake();
        }
      } catch (error) {
        failure ??= { error };
      }
      open -= 1;
      wake();
    };
    for (const [at, source] of sources.entries()) void pump(source, at);
    try {
      while (!signal.aborted) {
        const [next] = ready;
        if (next) {
          ready.delete(next[0]);
          yield next[1];
        } else if (failure) throw failure.error;
        else if (open === 0) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      leave();
    }
  });
}
