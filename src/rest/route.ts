import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { z } from 'zod';
import type { ErrorCode } from '../core/errors.ts';
import type { Projection } from './projection.ts';
import type { StreamedEvent } from './stream.ts';

type Shape = z.ZodObject | undefined;
type Out<S extends Shape> = S extends z.ZodObject ? z.output<S> : Record<string, never>;

/** A request, validated against the route's schemas. */
export type Input<Params extends Shape, Query extends Shape, Body extends Shape> = {
  params: Out<Params>;
  query: Out<Query>;
  body: Out<Body>;
  headers: Pick<Headers, 'get'>;
};

/** How an operation streams its response to callers that accept `text/event-stream`. */
type StreamOf<Data, Variables, In> = {
  document: TypedDocumentNode<Data, Variables>;
  variables: (input: In) => Variables;
  /** An event: its id, from which a stream can be resumed, and its data. */
  event: (data: Data) => StreamedEvent;
  /** For the OpenAPI description: prose, and an example of a whole stream. */
  description: string;
  example: string;
};

/**
 * One operation of the legacy service, declared as data: a GraphQL document, how path, query and body become its
 * variables, and how its data becomes the legacy body. Contains no business rules.
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
  /** In OpenAPI's syntax: `/rest/fields/{id}`. */
  path: `/rest/${string}` | `/api/${string}`;
  tag: string;
  summary: string;
  description: string;
  document: TypedDocumentNode<Data, Variables>;
  params?: Params;
  query?: Query;
  /** The parameters that the others of a query make meaningless, whatever their values. */
  ignored?: (query: Record<string, unknown>) => string[];
  /** The JSON body. Unknown keys are ignored with a warning unless the object is strict. */
  body?: Body;
  /** Maximum size of the body in bytes; by default `limits.body`. */
  bodyLimit?: number;
  /** Request headers of the operation, for the OpenAPI description. */
  headers?: z.ZodObject;
  response: Response;
  /** Whoever has a valid bearer may use it, so it never responds with 403. */
  forEveryone?: true;
  /** Errors of this operation in addition to those of all operations. */
  errors?: ErrorCode[];
  variables: (input: Input<Params, Query, Body>) => Variables;
  /** Remarks for a successful caller, one sentence each, sent in the `Warning` header. */
  notes?: (input: Input<Params, Query, Body>) => string[];
  /** Replaces the graph's messages about arguments that have another name here, by argument. */
  rephrase?: Record<string, string>;
  project: Projection<Data, Input<Params, Query, Body>, z.input<Response>>;
  /** The path to an object with the row's id and `updatedAt`, for its `ETag`, if the body lacks them. */
  version?: readonly string[];
  /** Changes a single row and supports `If-Match`: the document takes `expectedUpdatedAt`. */
  conditional?: true;
  stream?: StreamOf<StreamData, StreamVariables, Input<Params, Query, Body>>;
  /** The Idempotency-Key is passed on to the graph, which handles it itself. */
  passesKey?: true;
  /** Always responds with the stream, whatever the caller accepts. */
  alwaysStreams?: boolean;
  /** Another protocol on the same path, recognized by its body. */
  alternative?: { takes: (body: unknown) => boolean; route: Route };
};

/** The input of any route. */
export type RouteInput = Input<Shape, Shape, Shape>;

/** Declares a route, checking the types of the document and the schemas against each other. */
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

/** Returns the patterns of a path for Hono's routers; a trailing slash is optional. */
export function patternsOf(path: Route['path']): string[] {
  const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
  return [pattern, `${pattern}/`];
}

/** Whether the REST layer handles an Idempotency-Key of this route: it is a write that does not pass it on. */
export const acceptsIdempotencyKey = ({ method, passesKey }: Pick<Route, 'method' | 'passesKey'>): boolean =>
  method !== 'get' && !passesKey;
