/** Sends an operation to a gateway, and returns its data. Throws what the gateway says is wrong. */
export type Ask = <Data>(query: string, variables: object) => Promise<Data>;

export function graphqlAt(url: string | undefined = 'http://127.0.0.1:4000', token: string): Ask {
  return async <Data>(query: string, variables: object) => {
    const response = await fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    }).catch((error: unknown) => {
      throw new Error(`no gateway answers at ${url}`, { cause: error });
    });
    const { data, errors } = (await response.json()) as { data?: Data; errors?: Failed[] };
    if (errors?.length || !data) throw new Error(errors?.flatMap(messagesOf).join('; ') || `status ${response.status}`);
    return data;
  };
}

type Failed = { message: string; extensions?: { issues?: { message: string }[] } };

function messagesOf({ message, extensions }: Failed): string[] {
  return extensions?.issues?.length ? extensions.issues.map((issue) => issue.message) : [message];
}
