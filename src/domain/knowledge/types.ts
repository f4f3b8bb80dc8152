export type BaseKey = { workspaceId: string; baseId: string };

export type Followed = BaseKey & { sourceId?: string };

/** Reports changes of sources while they are read, in whichever process. */
export type SourceWatch = {
  /**
   * Yields the ids of the base's sources, first of all and then of each that changed, until none is in progress. With
   * `sourceId`, only that one, and once more if it is deleted.
   */
  follow(which: Followed): AsyncIterableIterator<string, void>;
  /** Ends all streams; clients reconnect to another process. */
  close(): void;
};
