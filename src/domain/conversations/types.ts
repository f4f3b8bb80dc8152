export type ConversationKey = { workspaceId: string; conversationId: string };

/** A message that is new, and its place. */
export type NewMessage = { id: string; position: number };

/** Tells what is said in conversations, on whichever replica. */
export type MessageWatch = {
  /**
   * The messages behind the place `after`, or the last one there is, and each that is said from then on, until `signal`
   * or the conversation's end. A reply that takes the place of another one is new, too.
   */
  follow(key: ConversationKey, after: number | null, signal: AbortSignal): AsyncGenerator<NewMessage, void>;
  /** Ends what is told: who wants to hear more asks another process. */
  close(): void;
};
