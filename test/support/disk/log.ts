/** Below, a file or folder is known by a number: its names may change. */
export type Entry =
  | { kind: 'create'; folder: number; name: string; item: number; isFolder: boolean }
  | { kind: 'rename'; folder: number; name: string; newFolder: number; newName: string }
  | { kind: 'remove'; folder: number; name: string }
  | { kind: 'write'; item: number; position: number; bytes: Buffer }
  | { kind: 'truncate'; item: number; size: number }
  /** What was done to it before the entry number `begun` is on disk. */
  | { kind: 'sync'; item: number; begun: number }
  /** Something that the caller wants to find again in the log. */
  | { kind: 'mark'; text: string };

/** What happened to a folder, in order. Item 0 is the folder itself. */
export type DiskLog = Entry[];
