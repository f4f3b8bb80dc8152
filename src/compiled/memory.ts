/** Bytes that an operation takes, with all that was made of it. `grow` tells of more. */
export type Memory = { readonly bytes: number; grow(bytes: number): void };
