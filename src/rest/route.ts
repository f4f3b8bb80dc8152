import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { z } from 'zod';
import type { ErrorCode } from '../core/errors.ts';
import type { Projection } from './projection.ts';
import type { StreamedEvent } from './stream.ts';

type Shape = z.ZodObject | undefined;
type Out<S extends Shape> = S extends z.ZodObject ? z.output<S> : Record<string, never>;

/** What a request said, checked against the route's schemas. */
export type Input<Params extends Shape, Query extends Shape, Body extends Shape> = {
  params: Out<Params>;
  query: Out<Query>;
  body: Out<Body>;
  headers: Pick<Headers, 'get'>;
};

/** How an operation streams its answer to callers that accept `text/event-stream`. */
type StreamOf<Data, Variables, In> = {
  document: TypedDocumentNode<Data, Variables>;
  variables: (input: In) => Variables;
  /** One event: its id, by which a stream is taken up again, and what it says. */
  event: (data: Data) => StreamedEvent;
  /** What the description tells of it, and a whole stream as an example. */
  description: string;
  example: string;
};

/**
 * One operation of the legacy service, as data: a GraphQL document, how path, query and body become its variables,
 * and how its data becomes the legacy body. It holds no rule of its own.
 */
export type Route<
  Data = unknown,
  Variables = unknown,
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Response extends z.ZodType = z.ZodType,
  StreamData = unknown,
  StreamVariables = unknown,
> = {
  /** Unique; the operationId of the OpenAPI description. */
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** As OpenAPI writes it: `/rest/fields/{id}`. */
  path: `/rest/${string}` | `/api/${string}`;
  tag: string;
  summary: string;
  description: string;
  document: TypedDocumentNode<Data, Variables>;
  params?: Params;
  query?: Query;
  /** The JSON body. Unknown keys are ignored with a warning unless the object is strict. */
  body?: Body;
  /** Bytes that the body may have; `limits.body` when left out. */
  bodyLimit?: number;
  /** Request headers that the operation understands, for the description. */
  headers?: z.ZodObject;
  response: Response;
  /** Failures of this operation beyond those that every operation may have. */
  errors?: ErrorCode[];
  variables: (input: Input<Params, Query, Body>) => Variables;
  /** What a caller who succeeds should know, a sentence each, for the `Warning` header. */
  notes?: (input: Input<Params, Query, Body>) => string[];
  /** What the graph says of a key that has another name here, in the words of this operation. */
  rephrase?: Record<string, string>;
  project: Projection<Data, Input<Params, Query, Body>, z.input<Response>>;
  /** Where the data has the row's id and `updatedAt`, when the body lacks them: its `ETag` is made of them. */
  version?: readonly string[];
  /** It changes one row, and takes `If-Match`: its document takes `expectedUpdatedAt`. */
  conditional?: true;
  stream?: StreamOf<StreamData, StreamVariables, Input<Params, Query, Body>>;
  /** It passes its Idempotency-Key on to the graph, which knows what to do with it. */
  passesKey?: true;
  /** It has no other answer than its stream, whatever the caller accepts. */
  alwaysStreams?: boolean;
  /** Bodies of another protocol on the same path, which are told by what they hold. */
  otherwise?: { takes: (body: unknown) => boolean; route: Route };
};

/** What a request said to any route. */
export type RouteInput = Input<Shape, Shape, Shape>;

/** Declares a route; the types of the document and of the schemas are checked against each other. */
export function route<
  Data,
  Variables,
  Params extends Shape,
  Query extends Shape,
  Body extends Shape,
  Response extends z.ZodType,
  StreamData,
  StreamVariables,
>(definition: Route<Data, Variables, Params, Query, Body, Response, StreamData, StreamVariables>): Route {
  return definition as unknown as Route;
}

/** The patterns of a path for Hono's routers: a slash at its end makes no other address. */
export function patternsOf(path: Route['path']): string[] {
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return [pattern, `${pattern}/`];
}

/** Whether a request of a route may come with an Idempotency-Key that the REST layer answers for: a write. */
export const takesKey = ({ method, passesKey }: Pick<Route, 'method' | 'passesKey'>): boolean =>
  method !== 'get' && !passesKey;
