import { open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** Until the test ends, the disk takes only the first bytes of what is written to a file by its handle. */
export async function fillDisk(): Promise<void> {
  const probe = await open(import.meta.filename);
  const handles = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const spy = vi.spyOn(handles, 'writeFile').mockImplementation(async function (this: typeof probe, data) {
    await this.write(Buffer.from(data as Uint8Array).subarray(0, 3));
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });
  onTestFinished(() => spy.mockRestore());
}
