import type { Storage } from './types.ts';

/** The ids of a workspace and of a file: nothing in it leads out of a folder or of a bucket's prefix. */
const form = /^wsp_[0-9a-hjkmnp-tv-z]{26}\/fil_[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * A storage that takes only keys of this form, since they become paths: rows may come from a backup that was altered.
 * Under any other key there is no object, and none can be stored.
 */
export const withKeys = (storage: Storage): Storage => ({
  ...storage,
  async put(key, bytes, hash) {
    if (!form.test(key)) throw new Error(`${JSON.stringify(key)} is not the key of a stored file: nothing was stored.`);
    await storage.put(key, bytes, hash);
  },
  get: async (key) => (form.test(key) ? storage.get(key) : null),
  open: async (key, range) => (form.test(key) ? storage.open(key, range) : null),
  async delete(key) {
    if (form.test(key)) await storage.delete(key);
  },
});
