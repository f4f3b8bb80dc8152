/** The ports of the workers of a Citus cluster, whose coordinator is the server of TEST_DATABASE_URL. */
export const workers = (process.env.TEST_CITUS ?? '').split(',').filter(Boolean);

export const isCluster = workers.length > 0;

/** The servers that have each database: the given one, and the workers of its cluster. */
export const serversOf = (url: string): string[] => [url, ...workers.map((port) => withPort(url, port))];

function withPort(url: string, port: string): string {
  const other = new URL(url);
  other.port = port;
  return other.href;
}
