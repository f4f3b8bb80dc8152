import type { Turn } from '../../database/generated/prisma/client.ts';

/** What a turn made: the conversation, and the messages that the agent generated, oldest first. */
export type TurnResult = { conversationId: string; messageIds: string[] };

/** One part of a stream, in the UI-message vocabulary of the AI SDK. */
export type Part = { type: string; [key: string]: unknown };

/** A part, its id by which a stream is taken up behind it, and on the last of an answered turn, what the turn made. */
export type TurnEvent = { id: string; position: number; part: Part; result: TurnResult | null };

/** Parts of a stream that were told and are not written yet, the first of them at `position`. */
export type UnwrittenParts = { position: number; parts: Part[] };

/**
 * What is told of a turn while it runs. The ledger is the same whether it is streamed or not: when it is, its parts reach
 * readers of this process at once, and others by the database.
 */
export type TurnStream = {
  /** Begins to tell, once the turn is open. */
  open(conversationId: string): void;
  say(piece: string): void;
  /** Tells a part that stands for itself, such as the call of a tool. */
  tell(part: Part): void;
  /** Whether some of the text was told. */
  told(): boolean;
  /** Nothing is said after it. Answers what is to be written with the end of the turn. */
  settle(): Promise<UnwrittenParts>;
  /** Shows the end, once it is stored. */
  end(parts: Part[]): void;
  fail(error: unknown): void;
  /** Its events from a position on, until it ends. Throws `IdempotencyKeyTaken` when it never began, since another try has. */
  read(position: number): AsyncGenerator<TurnEvent, void>;
  /** Resolves when the reply has begun or `patienceMs` is over. Rejects when the turn fails before. */
  begun(patienceMs: number): Promise<void>;
};

/** A place in the stream of a turn. */
export type StreamPosition = { id: string; position: number };

/** Why a turn is to fall silent: a person asked for it, another process has taken it for dead, or this one is leaving. */
export type AbortReason = 'stopped' | 'lost' | 'leaving';

/** A turn that this process works on. */
export type RunningTurn = { live: TurnStream; abort(reason: AbortReason): void; done: Promise<TurnResult> };

/** The turns that this process works on or is asked for, who waits here for a conversation, and what is done behind them. */
export type Turns = {
  /** By the ids of their answers. Throws 503 when the process is leaving. */
  add(id: string, turn: RunningTurn): void;
  find(id: string): RunningTurn | undefined;
  watch: Heartbeat;
  follow: Follow;
  /** Waits in line for a place, first come, first served. Answers how to leave. Throws 409 `conversation_busy`. */
  enter(place: string, patienceMs: number): Promise<() => void>;
  /** What is done behind a turn that has ended; the process is not left before it is done. It must not reject. */
  hold(work: Promise<unknown>): void;
  /** Lets the turns end for `graceMs`; what is left then is failed, so that its caller may ask another process at once. */
  close(graceMs: number): Promise<void>;
};

export type HeartbeatTurn = { id: string; abort(reason: AbortReason): void };

/** Watches an open turn. Answers how to end that. */
export type Heartbeat = (turn: HeartbeatTurn) => () => void;

/** What is new of a turn that another process works on: events behind a place, or that it has ended or may be dead. */
export type TurnUpdate = { state: Turn['state']; alive: boolean; events: TurnEvent[] };

/** Waits for news of a turn behind a place of its stream; null: there is no such turn any more. */
export type Follow = (place: StreamPosition) => Promise<TurnUpdate | null>;
