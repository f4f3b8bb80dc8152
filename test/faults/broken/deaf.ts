/** Preloaded to break the gateway: it does not recognise the database's errors about a full disk. */
import pg from 'pg';

const { DatabaseError } = pg;
Object.defineProperty(DatabaseError.prototype, 'code', {
  get: () => undefined,
  set(this: object, code: string | undefined) {
    const value = code?.startsWith('53') || code?.startsWith('58') || code?.startsWith('57') ? 'XX000' : code;
    Object.defineProperty(this, 'code', { value, writable: true, enumerable: true, configurable: true });
  },
});
