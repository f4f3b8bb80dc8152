/** The container's health check: exits with 0 if GET /health succeeds, otherwise with 1. */
const { PORT = '4000' } = process.env;

const isHealthy = await fetch(`http://127.0.0.1:${PORT}/health`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
