import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let isOff = false;

/** Runs `work` with all file syncs disabled. */
export async function withoutDisk<T>(work: () => Promise<T>): Promise<T> {
  isOff = true;
  try {
    return await work();
  } finally {
    isOff = false;
  }
}

const { fsyncSync, fdatasyncSync } = fs;
const { open } = promises;
fs.fsyncSync = (fd) => (isOff ? undefined : fsyncSync(fd));
fs.fdatasyncSync = (fd) => (isOff ? undefined : fdatasyncSync(fd));
promises.open = async (...given) => {
  const handle = await open(...given);
  const datasync = handle.datasync.bind(handle);
  handle.datasync = async () => (isOff ? undefined : datasync());
  return handle;
};
syncBuiltinESMExports();
