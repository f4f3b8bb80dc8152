export type ConversationKey = { workspaceId: string; conversationId: string };

/** A new message and its position. */
export type NewMessage = { id: string; position: number };

/** Reports new messages of conversations, from any replica. */
export type MessageWatch = {
  /**
   * Yields the messages after the position `after`, or only the last one if it is null, and then new ones, until
   * `signal` aborts or the conversation is deleted. A regenerated reply counts as new.
   */
  follow(key: ConversationKey, after: number | null, signal: AbortSignal): AsyncGenerator<NewMessage, void>;
  /** Ends all streams; clients reconnect to another process. */
  close(): void;
};
