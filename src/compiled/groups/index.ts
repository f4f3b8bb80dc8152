export { sealOfGroups, writeGroupCursor } from './cursor.ts';
export { havingFilters, typeOfMeasure } from './having.ts';
export { allRows, countId, keyId, measureId, sortFields } from './ids.ts';
export { readSelection } from './plan.ts';
export { numbersOf, type RatioArguments, ratio, ratioOf } from './ratio.ts';
export { columnOf, type GroupReader, type ListPlace, readGroups, readKeys } from './read.ts';
export type { GroupsResult, KeyValue, Value } from './result.ts';
export { type GroupArguments, type GroupRequest, type OfParent, planGroups } from './scope.ts';
export { type DocumentReader, readerOfInfo } from './selection.ts';
