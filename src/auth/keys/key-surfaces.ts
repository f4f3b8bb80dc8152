import { forbidden } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';

/** The paths at which saved operations are run. */
const surfaces = /^\/(graphql|mcp|run\/[^/]+)$/;

/** Throws 403 `forbidden` for a key that is limited to saved operations at any path where none is run. */
export function requireSurface({ key }: Viewer, path: string): void {
  if (!key || key.operations.length === 0 || surfaces.test(path)) return;
  throw forbidden('This key may run only saved operations, by /graphql, /run or /mcp.');
}
