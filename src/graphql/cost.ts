import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Cost } from '../core/load.ts';
import { type PricedOperation, roughPrice } from './price/index.ts';

/** Up to the price `cheapest` a query is cheap; above `dearest` it is expensive. */
const cheapest = 1_000;
const dearest = 10_000;

/** Throws 503 `unavailable` if the load leaves no room for a valid operation. */
export function requireRoom(asked: PricedOperation): void {
  const { load } = asked.contextValue;
  const refusal = load.isCalm ? null : load.refusal(costOfOperation(asked));
  if (refusal) throw refusal;
}

/** Returns the cost of a valid operation: by its fields (`parleyExpensive`), its price, and whether it writes. */
export function costOfOperation({
  schema,
  document,
  operationName,
  variableValues,
  contextValue,
}: PricedOperation): Cost {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 'ordinary';
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  const alone: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...others] };
  if (asksForMuch(schema, alone)) return 'expensive';
  const cost = roughPrice({ schema, document: alone, variableValues, contextValue })?.cost ?? 0;
  if (cost > dearest) return 'expensive';
  return operation.operation === OperationTypeNode.QUERY && cost <= cheapest ? 'cheap' : 'ordinary';
}

function asksForMuch(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let much = false;
  const Field = () => {
    much ||= types.getFieldDef()?.extensions.parleyExpensive === true;
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return much;
}
