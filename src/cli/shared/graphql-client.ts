import { DeadlinePassed, withTimeout } from '../../net/deadline.ts';

/** Sends an operation to a gateway, and returns its data. Throws what the gateway says is wrong. */
export type Ask = <Data>(query: string, variables: object) => Promise<Data>;

/** How long an operation may take, in milliseconds. */
const timeoutMs = 60_000;

export function graphqlAt(url: string | undefined = 'http://127.0.0.1:4000', token: string): Ask {
  const send = async (query: string, variables: object, signal: AbortSignal) => {
    const response = await fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      signal,
    }).catch((error: unknown) => {
      throw new Error(`no gateway answers at ${url}`, { cause: error });
    });
    return { status: response.status, answer: (await response.json()) as { data?: unknown; errors?: Failed[] } };
  };
  return async <Data>(query: string, variables: object) => {
    const { status, answer } = await withTimeout(timeoutMs, (signal) => send(query, variables, signal)).catch(
      (error) => {
        if (!(error instanceof DeadlinePassed)) throw error;
        throw new Error(`the gateway at ${url} did not answer within ${timeoutMs / 1_000} seconds`);
      },
    );
    const { data, errors } = answer;
    if (errors?.length || !data) throw new Error(errors?.flatMap(messagesOf).join('; ') || `status ${status}`);
    return data as Data;
  };
}

type Failed = { message: string; extensions?: { issues?: { message: string }[] } };

function messagesOf({ message, extensions }: Failed): string[] {
  return extensions?.issues?.length ? extensions.issues.map((issue) => issue.message) : [message];
}
