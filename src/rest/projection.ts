import { notFound } from '../errors.ts';
import { metaOf, type PageQuery } from './paging.ts';
import type { Route, RouteInput } from './route.ts';

/** The keys that lead from `Data` to a value that is `Wanted`, through no list. */
type PathTo<Data, Wanted> = unknown extends Data ? readonly string[] : At<Data, Wanted>;
type At<Data, Wanted> = Data extends Wanted
  ? readonly []
  : Data extends readonly unknown[]
    ? never
    : Data extends object
      ? { [Key in keyof Data & string]: readonly [Key, ...At<NonNullable<Data[Key]>, Wanted>] }[keyof Data & string]
      : never;

type PageInfo = { hasNextPage: boolean; endCursor: string | null };
type Page<Body> = { nodes: Body extends { data: infer Items } ? Items : never; totalCount: number };
type Listed<Body> = { nodes: Body; pageInfo: PageInfo };
type Item<Body> = Body extends (infer Each)[] ? Each : never;
type Enveloped<Body> = Item<Body> extends { data: infer Node } ? Listed<Node[]> : never;

/** The data of a document of which nothing failed: a failure of any part is the error of the whole in REST. */
export type Whole<Data> = { [Key in keyof Data]: NonNullable<Data[Key]> };
type WholeOf<Data> = unknown extends Data ? unknown : Whole<Data>;

/**
 * How a body is made of the data of a document: where in it the body is, so that its bytes can be passed on as they
 * are, or else by code.
 */
export type Projection<Data, In, Body> =
  | ((data: WholeOf<Data>, input: In) => Body)
  /** The value there. When it is null and the body cannot be, it is 404 `not_found`. */
  | { row: PathTo<Data, Body> }
  /** The numbered page of the connection there. */
  | { page: PathTo<Data, Page<Body>> }
  /** All nodes of the connection there, however many pages it has: the document takes `$after`. */
  | { rows: PathTo<Data, Listed<Body>>; envelope?: undefined }
  /** The same, each as the `data` of an envelope. */
  | { rows: PathTo<Data, Enveloped<Body>>; envelope: Omit<Item<Body>, 'data'> };

/** A value of the data, by the keys that lead to it, through no list; without keys, the data itself. */
export type Picked = {
  path: readonly string[];
  /** Text before and after each item of a connection's `nodes`: what shows it in another object. */
  around?: readonly [before: string, after: string];
};

/** Values as JSON; null for one whose parent is null. */
export type Texts = readonly (string | null)[];
type Write = (texts: Texts, input: RouteInput) => string;
/** A projection as it is run: the values that it takes of the data, and how it makes the body of them. */
export type Writer = {
  picked: readonly Picked[];
  write: Write;
  /** The cursor of the next page, when the body takes one more. */
  next?: (texts: Texts) => string | null;
};

/** The writer of a route, by its projection. */
export function writerOf({ project, response }: Pick<Route, 'project' | 'response'>): Writer {
  if (typeof project === 'function') {
    return { picked: [{ path: [] }], write: ([data], input) => JSON.stringify(project(JSON.parse(data ?? ''), input)) };
  }
  if ('row' in project) return row(project.row, response.safeParse(null).success);
  return 'page' in project ? page(project.page) : rows(project.rows, project.envelope);
}

function row(path: readonly string[], mayBeNull: boolean): Writer {
  const write: Write = ([text]) => (text === 'null' && !mayBeNull ? missing(path) : (text ?? missing(path)));
  return { picked: [{ path }], write };
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
  throw notFound(`${key.slice(0, 1).toUpperCase()}${key.slice(1)}`);
}

/** What is picked of the data of one answer; of all its pages, when the body takes them all. */
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

/** The lists that the pages begin with, as one. */
function joined(pages: Texts[]): string {
  const items = pages.map(([list]) => list?.slice(1, -1)).filter(Boolean);
  return `[${items.join()}]`;
}

/** What is picked of data that JavaScript made. */
export const textsIn = (data: unknown, picked: readonly Picked[]): Texts =>
  picked.map(({ path, around }) => {
    const value = path.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | null)?.[key], data);
    if (value === undefined) return null;
    if (!around || !Array.isArray(value)) return JSON.stringify(value);
    return `[${value.map((item) => around[0] + JSON.stringify(item) + around[1]).join()}]`;
  });
