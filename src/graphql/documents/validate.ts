import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  validate,
} from 'graphql';
import { fieldsCanBeMerged } from './fields-can-be-merged.ts';
import { presentableError } from './known-names.ts';

/** The rules of the specification, but that on fields of one name, which graphql checks pair by pair. */
const rules = specifiedRules.map((rule) => (rule === OverlappingFieldsCanBeMergedRule ? fieldsCanBeMerged : rule));

/** Validates a document. The time is linear in what its operations expand to, as far as that may be walked. */
export const validateDocument = (
  schema: GraphQLSchema,
  document: DocumentNode,
  options?: { maxErrors?: number },
): readonly GraphQLError[] =>
  validate(schema, document, rules, options).map((error) => presentableError(schema, error));
