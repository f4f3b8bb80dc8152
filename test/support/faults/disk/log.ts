/** Files and folders are identified by number, since their names may change. */
export type Entry =
  | { kind: 'create'; folder: number; name: string; item: number; isFolder: boolean }
  | { kind: 'rename'; folder: number; name: string; newFolder: number; newName: string }
  | { kind: 'remove'; folder: number; name: string }
  | { kind: 'write'; item: number; position: number; bytes: Buffer }
  | { kind: 'truncate'; item: number; size: number }
  /** All changes to the item before entry number `begun` are on disk. */
  | { kind: 'sync'; item: number; begun: number }
  /** A mark that the caller can find in the log. */
  | { kind: 'mark'; text: string };

/** What happened to a folder, in order. Item 0 is the folder itself. */
export type DiskLog = Entry[];
