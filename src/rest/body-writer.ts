import { capitalized } from '../core/capitals.ts';
import { notFound } from '../core/errors.ts';
import type { Picked, Texts } from '../graphql/picked.ts';
import { metaOf, type PageQuery } from './paging.ts';
import type { PageInfo } from './projection.ts';
import type { Route, RouteInput } from './route.ts';

type Write = (texts: Texts, input: RouteInput) => string;

/** A compiled projection: the values that it picks from the data, and how it writes the body from them. */
export type Writer = {
  picked: readonly Picked[];
  write: Write;
  /** The JSON with the row's id and `updatedAt`, for its ETag. */
  version?: (texts: Texts) => string | null | undefined;
  /** The cursor of the next page, if the body contains all pages. */
  next?: (texts: Texts) => string | null;
};

/** Compiles the projection of a route. */
export function writerOf({ project, response, version }: Pick<Route, 'project' | 'response' | 'version'>): Writer {
  if (typeof project === 'function') {
    return { picked: [{ path: [] }], write: ([data], input) => JSON.stringify(project(JSON.parse(data ?? ''), input)) };
  }
  if ('row' in project) return row(project.row, response.safeParse(null).success, version);
  return 'page' in project ? page(project.page) : rows(project.rows, project.envelope);
}

function row(path: readonly string[], mayBeNull: boolean, version: readonly string[] | undefined): Writer {
  const write: Write = ([text]) => (text === 'null' && !mayBeNull ? missing(path) : (text ?? missing(path)));
  const picked = [{ path }, ...(version ? [{ path: version }] : [])];
  return { picked, write, version: (texts) => texts[picked.length - 1] };
}

function page(path: readonly string[]): Writer {
  return {
    picked: [{ path: [...path, 'nodes'] }, { path: [...path, 'totalCount'] }],
    write: ([nodes, total], { query }) => {
      const meta = metaOf(Number(total ?? missing(path)), query as PageQuery);
      return `{"data":${nodes ?? missing(path)},"meta":${JSON.stringify(meta)}}`;
    },
  };
}

function rows(path: readonly string[], envelope: object | undefined): Writer {
  const around = envelope && ([`${JSON.stringify(envelope).slice(0, -1)},"data":`, '}'] as const);
  return {
    picked: [{ path: [...path, 'nodes'], ...(around && { around }) }, { path: [...path, 'pageInfo'] }],
    write: ([nodes]) => nodes ?? missing(path),
    next: ([, pageInfo]) => {
      const { hasNextPage, endCursor }: PageInfo = JSON.parse(pageInfo ?? missing(path));
      return hasNextPage ? endCursor : null;
    },
  };
}

function missing([key = '']: readonly string[]): never {
  throw notFound(capitalized(key));
}

/** Picks the values of one response; of all pages, if the body contains them all. */
export async function readTexts(
  { next }: Writer,
  variables: object,
  ask: (variables: object) => Promise<Texts>,
): Promise<Texts> {
  const first = await ask(variables);
  const pages = [first];
  for (let after = next?.(first); after; ) {
    const texts = await ask({ ...variables, after });
    pages.push(texts);
    after = next?.(texts);
  }
  return pages.length > 1 ? [joined(pages)] : first;
}

/** Concatenates the lists of all pages. */
function joined(pages: Texts[]): string {
  const items = pages.map(([list]) => list?.slice(1, -1)).filter(Boolean);
  return `[${items.join()}]`;
}
