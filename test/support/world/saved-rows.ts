import { newId } from '../../../src/database/ids.ts';

type Made = { workspaceId: string; createdBy: string; updatedBy: string };

let count = 0;

/** Builds saved operations and boards, whose names have only letters, digits and hyphens. */
export function savedRowMakers(made: Made, mark: string, label: (what: string) => string) {
  const name = (what: string) => `${mark.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')}-${what}-${++count}`;
  return {
    savedOperation: () => ({
      ...made,
      id: newId('savedOperation'),
      name: name('operation'),
      document: `{ agents { totalCount } } # ${label('document')}`,
      documentHash: label('hash'),
      description: label('operation'),
    }),
    dashboard: () => {
      const place = { x: 0, y: 0, width: 6, height: 4 };
      const tile = { operation: null, title: '', text: label('tile'), variables: {}, chart: null, ...place };
      return { ...made, id: newId('dashboard'), name: name('board'), title: label('board'), tiles: [tile] };
    },
  };
}
