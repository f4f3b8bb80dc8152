import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';
import type { StallMonitor } from './stalls.ts';

const simpleQuery = 0x51;
const sync = 0x53;
const flush = 0x48;
const terminate = 0x58;
const typeSize = 1;
const lengthSize = 4;

/** The message `Q` (simple query): its length, the statement and a NUL. */
function queryMessage(statement: string): Buffer {
  const message = Buffer.from(`Q\0\0\0\0${statement}\0`, 'latin1');
  message.writeInt32BE(message.length - typeSize, typeSize);
  return message;
}
const rollback = queryMessage('ROLLBACK');
const forgetStatements = queryMessage('DEALLOCATE ALL');

/**
 * The socket that node-postgres writes PostgreSQL's wire protocol to; PGlite responds in this process. Messages are
 * passed on in groups that end where the client waits for a response, so that no other user of PGlite can come between
 * a statement and its parameters.
 */
export class Wire extends Duplex {
  readonly #lite: PGlite;
  readonly #stalls: StallMonitor;
  #unread: Buffer = Buffer.alloc(0);
  #group: Buffer[] = [];
  #started = false;

  constructor(lite: PGlite, stalls: StallMonitor) {
    super();
    this.#lite = lite;
    this.#stalls = stalls;
  }

  /** Called by node-postgres in place of opening a TCP connection. */
  connect(): this {
    this.#begin().then(
      () => this.emit('connect'),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#deliver().then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null);
    done();
  }

  /** Ends what a dropped connection left in PGlite, which has one session: its transaction and its statements. */
  async #begin(): Promise<void> {
    await this.#lite.waitReady;
    await this.#lite.runExclusive(async () => {
      if (this.#lite.isInTransaction()) await this.#run(rollback);
      await this.#run(forgetStatements);
    });
  }

  async #run(message: Buffer): Promise<void> {
    await this.#lite.execProtocolRawStream(message, { onRawData: () => {} });
  }

  async #deliver(): Promise<void> {
    for (let message = this.#next(); message; message = this.#next()) {
      const type = this.#started ? message[0] : flush;
      this.#started = true;
      if (type === terminate) continue;
      this.#group.push(message);
      if (type === simpleQuery || type === sync || type === flush) await this.#execute();
    }
  }

  /** Returns the next complete message, or null if its end has not arrived. The startup message has no type byte. */
  #next(): Buffer | null {
    const head = this.#started ? typeSize : 0;
    if (this.#unread.length < head + lengthSize) return null;
    const size = head + this.#unread.readUInt32BE(head);
    if (this.#unread.length < size) return null;
    const message = this.#unread.subarray(0, size);
    this.#unread = this.#unread.subarray(size);
    return message;
  }

  async #execute(): Promise<void> {
    const [first, ...more] = this.#group;
    const group = more.length > 0 || !first ? Buffer.concat(this.#group) : first;
    this.#group = [];
    await this.#lite.runExclusive(async () => {
      if (this.destroyed) return;
      if (group) this.#stalls.begin(group);
      try {
        // Copied, since the bytes are in PGlite's memory, which the next statement overwrites.
        await this.#lite.execProtocolRawStream(group, { onRawData: (bytes) => void this.push(Buffer.from(bytes)) });
      } finally {
        this.#stalls.end();
      }
    });
  }
}
