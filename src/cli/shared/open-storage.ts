import type { Config } from '../../config/config.ts';
import { useProxy } from '../../net/proxy.ts';
import { createStorage } from '../../storage/storage.ts';
import type { Storage } from '../../storage/types.ts';

/** The storage of attachments, reached as the gateway reaches it. */
export function openStorage({ storage, proxy }: Pick<Config, 'storage' | 'proxy'>): Storage {
  if (proxy) useProxy(proxy);
  return createStorage(storage);
}
