import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeApi } from './api-description.ts';

// Never closed, since it keeps no process alive.
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(describeApi('https://api.example')));
}).unref();
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));

/** The URL of an API description, for inputs that need one. */
export const describedApi = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
