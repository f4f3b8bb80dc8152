/** The other worker processes of the same gateway (WORKERS), which share no memory with this one. */
export type Peers = {
  /**
   * Passes a message to all of them. Resolves once they have handled it; one that does not respond within a second is
   * not waited for. Never rejects.
   */
  publish(topic: string, message?: unknown): Promise<void>;
  /** Handles the messages of a topic; a topic has one handler. */
  subscribe(topic: string, handler: (message: unknown) => void): void;
};

/** For a gateway of one process. */
export const noPeers: Peers = { publish: async () => {}, subscribe: () => {} };
