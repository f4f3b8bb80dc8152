import { forbidden } from '../../core/errors.ts';
import type { Viewer } from '../../core/viewer.ts';

/**
 * Throws 403 `forbidden` for a minted token, which cannot do what would outlive it: its maker, and the app's secret.
 */
export function refuseMintedToken({ viewer }: { viewer: Viewer }, action: string, instead: string): void {
  if (viewer.credential === 'minted')
    throw forbidden(`A token from POST /apps/auth cannot ${action}, which would outlive it: use ${instead}.`);
}
