/** What the server says of the page. `name`: the board's name or ID; null for the list. */
export type PageOptions = { name: string | null; root: string };

type Session = { parleyToken: Promise<string | undefined>; parleyRenewed: () => Promise<string | undefined> };
const session = globalThis as unknown as Session;

export const options = JSON.parse(document.querySelector('#options')?.textContent ?? '{}') as PageOptions;

let token = session.parleyToken;

type Asked = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

/** Requests with the page's token, or with another one once that has expired. Null without a token. */
export async function request(path: string, init: Asked = {}): Promise<Response | null> {
  for (let renewed = false; ; renewed = true) {
    const bearer = await token;
    if (!bearer) return null;
    const headers = { ...init.headers, Authorization: `Bearer ${bearer}` };
    const response = await fetch(`${options.root}${path}`, { ...init, headers });
    if (response.status !== 401 || renewed) return response;
    const other = await session.parleyRenewed();
    if (!other) return response;
    token = Promise.resolve(other);
  }
}

/** The data of an operation; null without a token. Throws what it fails with. */
export async function ask<Data>(query: string, variables: object = {}): Promise<Data | null> {
  const response = await request('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  if (!response) return null;
  const { data, errors } = (await response.json()) as { data?: Data; errors?: { message: string }[] };
  if (errors?.[0] || !data) throw new Error(errors?.[0]?.message ?? 'The gateway did not answer.');
  return data;
}
