export * from './read.ts';
export { argumentsIn, fieldsIn, objectOf, type SelectedField } from './selection.ts';
export type { Answered, FilteredSpan, Value } from './statement.ts';
