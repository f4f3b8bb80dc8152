import type { Turn } from '../../database/generated/prisma/client.ts';

/** The result of a turn: the conversation, and the messages that the agent generated, oldest first. */
export type TurnResult = { conversationId: string; messageIds: string[] };

/** One part of a stream, in the UI-message vocabulary of the AI SDK. */
export type Part = { type: string; [key: string]: unknown };

/** A part with the id by which a stream is resumed after it. `result`: set on the last event of an answered turn. */
export type TurnEvent = { id: string; position: number; part: Part; result: TurnResult | null };

/** Parts of a stream that were sent and are not written yet, the first of them at `position`. */
export type UnwrittenParts = { position: number; parts: Part[] };

/**
 * The stream of a running turn. The interface is the same if the turn is not streamed; if it is, readers in this
 * process get the parts at once, others through the database.
 */
export type TurnStream = {
  /** Starts the stream, once the turn is open. */
  open(conversationId: string): void;
  sendText(piece: string): void;
  /** Sends a part other than text, such as a tool call. */
  sendPart(part: Part): void;
  /** Whether any text was sent. */
  hasSentText(): boolean;
  /** Closes the stream for further parts. Resolves to those that are to be written with the end of the turn. */
  settle(): Promise<UnwrittenParts>;
  /** Sends the last parts, once they are stored. */
  end(parts: Part[]): void;
  fail(error: unknown): void;
  /**
   * The events from a position on, until the end. Throws `IdempotencyKeyTaken` if another attempt has claimed the key.
   */
  read(position: number): AsyncGenerator<TurnEvent, void>;
  /** Resolves once the reply has begun or `timeoutMs` has passed. Rejects if the turn fails before. */
  waitForStart(timeoutMs: number): Promise<void>;
};

export type TurnKey = Pick<Turn, 'workspaceId' | 'id'>;

/** A position in the stream of a turn. */
export type StreamPosition = TurnKey & { position: number };

/**
 * Why a turn is aborted: a person stopped it, another process has ended it as orphaned, or this process is shutting
 * down.
 */
export type AbortReason = 'stopped' | 'lost' | 'leaving';

/** A turn that this process runs. */
export type RunningTurn = { stream: TurnStream; abort(reason: AbortReason): void; done: Promise<TurnResult> };

/** The turns of this process: running, followed, waiting for a conversation, and the work left after their end. */
export type Turns = {
  /** `id`: the id of the turn's reply. Throws 503 if the process is shutting down. */
  add(id: string, turn: RunningTurn): void;
  find(id: string): RunningTurn | undefined;
  /** How many turns this process runs. */
  readonly running: number;
  watch: Heartbeat;
  follow: Follow;
  writeParts: WriteParts;
  /**
   * Waits for a conversation, first come, first served. Resolves to a function that leaves it. Throws 409
   * `conversation_busy`.
   */
  waitForConversation(position: string, timeoutMs: number): Promise<() => void>;
  /** Keeps the process from exiting before work that outlives its turn is done. `work` must not reject. */
  waitUntil(work: Promise<unknown>): void;
  /** Gives the turns `graceMs` to end. The rest fail, so that their callers can retry on another replica at once. */
  close(graceMs: number): Promise<void>;
};

export type HeartbeatTurn = TurnKey & { abort(reason: AbortReason): void };

/** Writes parts of the stream of a turn. Rejects with the database's error. */
export type WriteParts = (turn: TurnKey, unwritten: UnwrittenParts) => Promise<void>;

/** Watches an open turn. Returns a function that stops watching. */
export type Heartbeat = (turn: HeartbeatTurn) => () => void;

/** News of a turn that another process runs: events after a position, or that it has ended or may be orphaned. */
export type TurnUpdate = { state: Turn['state']; alive: boolean; events: TurnEvent[] };

/** Waits for news of a turn after a position in its stream; null if the turn does not exist. */
export type Follow = (position: StreamPosition) => Promise<TurnUpdate | null>;
