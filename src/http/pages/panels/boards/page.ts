import { type Failure, linesOf } from '../failure.ts';

/** What the server says of the page. `name`: the board's name or ID; null for the list. */
type PageOptions = { name: string | null; root: string };

const { parleyToken } = globalThis as unknown as { parleyToken: Promise<string | undefined> };

export const options = JSON.parse(document.querySelector('#options')?.textContent ?? '{}') as PageOptions;

/** The fragment of an address that opens a board to be edited. */
export const beginEdit = '#edit';

/** Whether the page was opened by a link with a key of its own, which shows this board and nothing else. */
export const isByLink = new URLSearchParams(location.hash.slice(1)).get('key')?.startsWith('pky_') === true;

// The link to the content would replace the fragment, and with it the key that a reload needs.
if (isByLink)
  document.querySelector('a.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    document.querySelector<HTMLElement>('#content')?.focus();
  });

type Asked = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

/** Requests with the page's token. Null without one. */
export async function request(path: string, init: Asked = {}): Promise<Response | null> {
  const token = await parleyToken;
  if (!token) return null;
  const headers = { ...init.headers, Authorization: `Bearer ${token}` };
  return fetch(`${options.root}${path}`, { ...init, headers });
}

/** The data of an operation; null without a token. Throws what it fails with. */
export async function ask<Data>(query: string, variables: object = {}): Promise<Data | null> {
  const result = await post<Data>({ query, variables });
  if (!result) return null;
  const { data, errors } = result;
  if (errors?.[0] || !data) throw new Error(linesOf(errors?.[0]).join('\n'));
  return data;
}

/** The result of a saved query, whose variables are as saved where none are given. One that writes is refused. */
export const runSaved = async (name: string, variables: object): Promise<Result> =>
  (await post({ documentId: name, variables, onlyQuery: true })) ?? {};

export type Result<Data = unknown> = { data?: Data; errors?: Failure[] };

async function post<Data>(asked: object): Promise<Result<Data> | null> {
  const response = await request('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(asked),
  });
  return response && ((await response.json()) as Result<Data>);
}
