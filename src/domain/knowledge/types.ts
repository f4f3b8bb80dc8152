export type BaseKey = { workspaceId: string; baseId: string };

export type Followed = BaseKey & { sourceId?: string };

/** Tells of sources while they are read, in whichever process that happens. */
export type SourceWatch = {
  /**
   * The ids of the base's sources, first of each that is there and then of each that changed, until none is being read
   * any more. With `sourceId` of that one alone; it is told once more when it was removed.
   */
  follow(which: Followed): AsyncIterableIterator<string, void>;
  /** Ends what is told: who wants to hear more asks another process. */
  close(): void;
};
