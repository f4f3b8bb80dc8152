import manifest from '../../package.json' with { type: 'json' };

/** The version of this gateway, as its package has it. */
export const { version } = manifest;
