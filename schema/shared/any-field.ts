import type { FieldRef, InputType } from '@pothos/core';
import type { builder } from '../builder.ts';

/** A field of any type and parent. */
export type AnyField = FieldRef<typeof builder.$inferSchemaTypes, unknown>;
/** Any type of an argument or of a field of an input. */
export type AnyInput = InputType<typeof builder.$inferSchemaTypes>;
export type MakeField = (options: object) => AnyField;

/** Pothos' function for fields whose options are computed, so that its types cannot check them. */
export const fieldOf = (t: unknown): MakeField => (t as { field: MakeField }).field.bind(t);
