/** The keys that lead from `Data` to a value that is `Wanted`, through no list. */
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
