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

/** Up to the price `cheapBelow` a query is cheap; above `expensiveAbove` it is expensive. */
const cheapBelow = 1_000;
const expensiveAbove = 10_000;

/** Throws 503 `unavailable` if the load leaves no room for a valid operation. */
export function requireCapacity(priced: PricedOperation): void {
  const { load } = priced.contextValue;
  const refusal = load.isCalm ? null : load.refusal(costOfOperation(priced));
  if (refusal) throw refusal;
}

/** Returns the cost of a valid operation: by its fields (`parleyExpensive`), its price, and whether it writes. */
function costOfOperation({ schema, document, operationName, variableValues, contextValue }: PricedOperation): Cost {
  const operation = getOperationAST(document, operationName);
  if (!operation) return 'ordinary';
  const fragments = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION);
  const singleOperation: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] };
  if (mayBeExpensive(schema, singleOperation)) return 'expensive';
  const cost = roughPrice({ schema, document: singleOperation, variableValues, contextValue })?.cost ?? 0;
  if (cost > expensiveAbove) return 'expensive';
  return operation.operation === OperationTypeNode.QUERY && cost <= cheapBelow ? 'cheap' : 'ordinary';
}

function mayBeExpensive(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isExpensive = false;
  const Field = () => {
    isExpensive ||= types.getFieldDef()?.extensions.parleyExpensive === true;
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return isExpensive;
}
