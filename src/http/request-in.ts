/** The object that identifies a request to every layer that handles it: node:http's, or Fetch's. */
export const requestIn = ({ env, req }: { env: unknown; req: { raw: Request } }): object =>
  (env as { incoming?: object } | undefined)?.incoming ?? req.raw;
