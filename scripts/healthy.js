/** Ends with 0 when the gateway of this container answers GET /health, and else with 1. */
const { PORT = '4000' } = process.env;

const isHealthy = await fetch(`http://127.0.0.1:${PORT}/health`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
