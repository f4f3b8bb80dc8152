import { forbidden } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';

/** The paths at which saved operations are run. */
const surfaces = /^\/(graphql|mcp|run\/[^/]+)$/;
/** The path of a board. */
const board = /^\/run\/boards\/[^/]+$/;

/**
 * Throws 403 `forbidden` for a key that is limited to saved operations or to a board, at any path where it has nothing
 * to do.
 */
export function requireSurface({ key }: Viewer, path: string): void {
  if (!key) return;
  if (key.dashboardId !== null && !board.test(path))
    throw forbidden('This key may only show one board, by /run/boards.');
  if (key.operations.length > 0 && !surfaces.test(path))
    throw forbidden('This key may run only saved operations, by /graphql, /run or /mcp.');
}
