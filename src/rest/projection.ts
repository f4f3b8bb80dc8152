/** The key paths from `Data` to a value that is `Wanted`, through no list. */
type PathTo<Data, Wanted> = unknown extends Data ? readonly string[] : At<Data, Wanted>;
type At<Data, Wanted> = Data extends Wanted
  ? readonly []
  : Data extends readonly unknown[]
    ? never
    : Data extends object
      ? { [Key in keyof Data & string]: readonly [Key, ...At<NonNullable<Data[Key]>, Wanted>] }[keyof Data & string]
      : never;

export type PageInfo = { hasNextPage: boolean; endCursor: string | null };
type Page<Body> = { nodes: Body extends { data: infer Items } ? Items : never; totalCount: number };
type Listed<Body> = { nodes: Body; pageInfo: PageInfo };
type Item<Body> = Body extends (infer Each)[] ? Each : never;
type Enveloped<Body> = Item<Body> extends { data: infer Node } ? Listed<Node[]> : never;

/** The data of a document without errors: in REST, an error in any part fails the whole request. */
export type Whole<Data> = { [Key in keyof Data]: NonNullable<Data[Key]> };
type WholeOf<Data> = unknown extends Data ? unknown : Whole<Data>;

/**
 * How a response body is made from a document's data: a path to it, so that its JSON can be passed through, or a
 * function.
 */
export type Projection<Data, In, Body> =
  | ((data: WholeOf<Data>, input: In) => Body)
  /** The value at this path. 404 `not_found` if it is null and the body cannot be. */
  | { row: PathTo<Data, Body> }
  /** The connection at this path, as a numbered page. */
  | { page: PathTo<Data, Page<Body>> }
  /** All nodes of the connection at this path, over all of its pages: the document takes `$after`. */
  | { rows: PathTo<Data, Listed<Body>>; envelope?: undefined }
  /** The same, with each node as the `data` of an envelope. */
  | { rows: PathTo<Data, Enveloped<Body>>; envelope: Omit<Item<Body>, 'data'> };
