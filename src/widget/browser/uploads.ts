import type { Api, Failure } from './api.ts';
import type { Store } from './state.ts';
import type { Attachable, Upload, UploadFault } from './types.ts';

/** The files of the message that the visitor is writing. */
export function createUploads(api: Api, store: Store, limits: Attachable) {
  const running = new Map<string, AbortController>();
  const list = () => store.get().uploads;
  const change = (key: string, changes: Partial<Upload>) =>
    store.set({ uploads: list().map((one) => (one.key === key ? { ...one, ...changes } : one)) });

  async function send(key: string, file: File): Promise<void> {
    const leaving = new AbortController();
    running.set(key, leaving);
    const options = {
      conversationId: store.get().conversationId,
      signal: leaving.signal,
      onProgress: (progress: number) => change(key, { progress }),
    };
    try {
      change(key, { handle: await api.upload(file, options), progress: 1 });
    } catch (error) {
      if (!leaving.signal.aborted) change(key, { fault: faultOf(error as Failure) });
    } finally {
      running.delete(key);
    }
  }

  return {
    limits,
    /** Uploads files at once. Those beyond the limits are refused before anything is sent. */
    add(files: Iterable<File>): void {
      for (const file of files) {
        const good = list().filter(({ fault }) => !fault);
        const total = good.reduce((sum, { size }) => sum + size, file.size);
        const fault = good.length >= limits.count || total > limits.bytes ? 'tooLarge' : null;
        const key = crypto.randomUUID();
        const name = file.name.slice(0, 200) || 'file';
        store.set({ uploads: [...list(), { key, name, size: file.size, progress: 0, handle: null, fault }] });
        if (!fault) void send(key, file);
      }
    },
    remove(key: string): void {
      running.get(key)?.abort();
      store.set({ uploads: list().filter((one) => one.key !== key) });
    },
    /** Takes the files that are stored, for a message. */
    take(): Upload[] {
      const taken = list().filter(({ handle }) => handle);
      store.set({ uploads: [] });
      return taken;
    },
  };
}

function faultOf({ code, status }: Failure): UploadFault {
  if (status === 413) return 'tooLarge';
  if (status === 400) return 'unreadable';
  return code === 'rate_limited' ? 'limited' : 'notUploaded';
}
