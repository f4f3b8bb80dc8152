import { expect } from 'vitest';
import { readInterface } from '../../../src/plugins/read-interface.ts';
import type { Operation } from '../../../src/plugins/types.ts';

const at = 'https://docs.example.com/v1/openapi.yaml';

/** Reads a description, as it is found at an address. */
export const read = (given: object | string) =>
  readInterface(typeof given === 'string' ? given : JSON.stringify(given), at);
/** The only operation of a description. */
export const only = (given: object | string): Operation => {
  const [operation, ...others] = read(given).operations;
  expect(others).toEqual([]);
  return operation ?? expect.unreachable('no operation');
};
/** A description of one operation. */
export const api = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  paths: { '/a': { post: operation } },
  ...more,
});
/** A description of an operation with one parameter, `q`. */
export const query = (schema: object) => api({ parameters: [{ name: 'q', in: 'query', schema }] });
/** A description of an operation with a body. */
export const body = (type: string, schema: object, more: object = {}) =>
  api({ requestBody: { required: true, content: { [type]: { schema } }, ...more } });
