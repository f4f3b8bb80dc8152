/** Limits of a request. The documentation and the OpenAPI description state the same numbers. */
export const limits = {
  /**
   * Limits of a GraphQL operation: `complexity` is its cost, fields times the possible rows of their lists, plus a
   * point for every 100 rows that are read to be counted or grouped. `name`: characters of an alias, which a response
   * repeats for each row. `introspection`: fields of `__schema` and `__type`, which are read without a pause.
   */
  query: { complexity: 100_000, depth: 24, breadth: 1_000, name: 200, introspection: 400_000 },
  /** Bytes of a response. */
  response: 50_000_000,
  /** Bytes of a GraphQL document. */
  document: 100_000,
  /** Tokens of a GraphQL document, comments included. */
  tokens: 4_000,
  /** Nesting depth of a JSON body, and of JSON in an operation. */
  jsonLevels: 100,
  /** Values in a JSON body: each takes memory and time to check, however short it is. */
  jsonValues: 50_000,
  /** Ids in one `nodes` query. */
  ids: 100,
  /** Bytes of a JSON body; `contentBody` where base64 content is allowed. */
  body: 1_000_000,
  contentBody: 16_000_000,
  /** Characters of a message. */
  message: 32_000,
  attachments: 10,
  /** Bytes of an attachment. */
  attachmentBytes: 10_000_000,
  /** Sources in one call. */
  sources: 50,
  /** Bytes of a channel's credentials. */
  credentials: 16_384,
} as const;

/** How many rows, read to be counted or grouped, cost one point. */
export const rowsPerPoint = 100;
