/** The memory of an operation and all that is derived from it, in bytes; `grow` adds to it. */
export type Memory = { readonly bytes: number; grow(bytes: number): void };
