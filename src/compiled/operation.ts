import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  OperationTypeNode,
  type VariableValues,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { findUnstorable } from '../core/json-limits.ts';
import type { SpanDescription } from '../core/tracing.ts';
import { bytesOfDocument, parseDocument } from '../graphql/documents/document.ts';
import { validateDocument } from '../graphql/documents/validate.ts';
import { extentOf, refusalOf } from '../graphql/price/index.ts';
import { orUnsupported, UnsupportedQuery, unsupported } from '../lists/unsupported.ts';
import { type PlanSource, Plans } from './plan.ts';
import { PriceCheck } from './price-check.ts';
import type { Memory } from './sql/template.ts';

/** Cache size in bytes, in all and per operation: larger ones are compiled each time. */
const maxBytes = 48 * 2 ** 20;
const maxBytesEach = 3 * 2 ** 20;

type CachedOperation = { operation: Operation | UnsupportedQuery; memory: Memory };

/**
 * Caches parsed and validated operations, by name and text, or by document if the REST layer has parsed it. Everything
 * compiled from an operation is cached and evicted with it.
 */
export class Operations {
  readonly #schema: GraphQLSchema;
  readonly #cached = new LRUCache<string | DocumentNode, CachedOperation>({
    maxSize: maxBytes,
    maxEntrySize: maxBytesEach,
    sizeCalculation: ({ memory }) => memory.bytes,
  });

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The estimated size of the cache in bytes. */
  get bytes(): number {
    return this.#cached.calculatedSize;
  }

  /** Returns the operation of a text, by name if there are several. Throws if there is none, or it is invalid. */
  ofText(text: string, operationName: string | null): Operation {
    if (text.length > 20_000) unsupported('a long document');
    if (operationName !== null && !isName.test(operationName)) unsupported('a name that no operation has');
    const key = operationName === null ? text : `${operationName}\0${text}`;
    return this.#operation(key, (memory) => this.#parse(text, operationName, memory));
  }

  /** Returns the operation of an already validated document, such as those of the REST layer. */
  ofDocument(document: DocumentNode): Operation {
    return this.#operation(document, (memory) => read(document, null, memory));
  }

  #operation(key: string | DocumentNode, make: (memory: Memory) => Operation): Operation {
    const cached = this.#cached.get(key) ?? this.#keep(key, make);
    if (cached.operation instanceof UnsupportedQuery) throw cached.operation;
    return cached.operation;
  }

  #keep(key: string | DocumentNode, make: (memory: Memory) => Operation): CachedOperation {
    const memory = {
      bytes: 1_000 + (typeof key === 'string' ? 2 * key.length : 0),
      grow: (bytes: number) => {
        memory.bytes += bytes;
        if (this.#cached.delete(key)) this.#cached.set(key, cached);
      },
    };
    const cached: CachedOperation = { operation: orUnsupported(() => make(memory)), memory };
    this.#cached.set(key, cached);
    return cached;
  }

  #parse(text: string, operationName: string | null, memory: Memory): Operation {
    const document = parseDocument(text);
    if (validateDocument(this.#schema, document).length > 0) unsupported('a document that is not valid');
    memory.grow(bytesOfDocument(document));
    return read(document, operationName, memory);
  }

  /** Coerces the operation's variables, as execution does. */
  variablesOf({ node }: Operation, given: Record<string, unknown>): VariableValues {
    const { variableValues } = getVariableValues(this.#schema, node.variableDefinitions ?? [], given, { maxErrors: 1 });
    return variableValues ?? unsupported('variables that do not fit');
  }
}

const isName = /^[A-Za-z_]\w{0,250}$/;

function read(document: DocumentNode, operationName: string | null, memory: Memory): Operation {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const node = operationName === null ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (!node || (operationName === null && operations.length > 1)) unsupported('no one operation');
  if (node.operation === OperationTypeNode.SUBSCRIPTION) unsupported('a subscription');
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  // What the fragments expand to is counted before anything is made of it.
  if (refusalOf(extentOf(node.selectionSet, fragments))) unsupported('a large operation');
  const singleOperation: DocumentNode = { kind: Kind.DOCUMENT, definitions: [node, ...fragments] };
  return {
    node,
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
    document: singleOperation,
    deciding: decidingVariables(singleOperation),
    plans: new Plans(),
    priceCheck: new PriceCheck(memory),
    memory,
  };
}

/** The variables of directives. Texts are looked at on the way: those of variables are, with each request. */
function decidingVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: args }) => {
      for (const { value } of args ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
    StringValue: ({ value }) => {
      if (findUnstorable(value).length > 0) unsupported('a text that the database cannot hold');
    },
  });
  return [...names];
}

/** A valid operation, with the plans compiled from it. */
export type Operation = PlanSource & {
  /** The operation with its fragments only. */
  document: DocumentNode;
  plans: Plans;
  priceCheck: PriceCheck;
};

/** Describes the span of an operation that a compiled query answers. */
export function describeOperation({ node }: Operation): SpanDescription {
  return {
    name: `compiled ${node.operation}`,
    attributes: {
      'graphql.operation.type': node.operation,
      'graphql.operation.name': node.name?.value,
      'parley.compiled': true,
    },
  };
}
