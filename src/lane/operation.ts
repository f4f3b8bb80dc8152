import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type VariableValues,
  validate,
  visit,
} from 'graphql';
import { limits } from '../auth/limits.ts';
import { Plans } from './plan.ts';
import { Recent } from './recent.ts';
import { orRefuse, Refuse, refuse } from './refuse.ts';
import { Sizes } from './size.ts';

/** An operation that is valid for the schema, with the plans that were made of it. */
export type Operation = {
  node: OperationDefinitionNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The operation and its fragments alone. */
  document: DocumentNode;
  /** The variables that `@skip` and `@include` ask: for other values it is another plan. */
  deciding: string[];
  plans: Plans;
  sizes: Sizes;
};

/** Documents that were parsed and validated, by their text; documents of the REST layer, which are parsed already. */
export class Operations {
  readonly #schema: GraphQLSchema;
  readonly #byText = new Recent<Map<string | null, Operation | Refuse>>(500);
  readonly #byDocument = new WeakMap<DocumentNode, Operation | Refuse>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The operation of this text, and of this name when there are several. Throws when it is none, or not valid. */
  ofText(text: string, operationName: string | null): Operation {
    if (text.length > 20_000) refuse('a long document');
    const operations = this.#byText.get(text, () => new Map());
    const operation = operations.get(operationName) ?? orRefuse(() => this.#parse(text, operationName));
    operations.set(operationName, operation);
    return known(operation);
  }

  /** The operation of a document that was validated before, such as those of the REST layer. */
  ofDocument(document: DocumentNode): Operation {
    const operation = this.#byDocument.get(document) ?? orRefuse(() => read(document, null));
    this.#byDocument.set(document, operation);
    return known(operation);
  }

  #parse(text: string, operationName: string | null): Operation {
    const document = parse(text, { maxTokens: limits.tokens });
    if (validate(this.#schema, document).length > 0) refuse('a document that is not valid');
    return read(document, operationName);
  }

  /** The values of the operation's variables, as execution coerces them. */
  variablesOf({ node }: Operation, given: Record<string, unknown>): VariableValues {
    const { variableValues } = getVariableValues(this.#schema, node.variableDefinitions ?? [], given);
    return variableValues ?? refuse('variables that do not fit');
  }
}

function known(operation: Operation | Refuse): Operation {
  if (operation instanceof Refuse) throw operation;
  return operation;
}

function read(document: DocumentNode, operationName: string | null): Operation {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const node = operationName === null ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (!node || (operationName === null && operations.length > 1)) refuse('no one operation');
  if (node.operation === OperationTypeNode.SUBSCRIPTION) refuse('a subscription');
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const alone: DocumentNode = { kind: Kind.DOCUMENT, definitions: [node, ...fragments] };
  return {
    node,
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
    document: alone,
    deciding: decidingVariables(alone),
    plans: new Plans(),
    sizes: new Sizes(),
  };
}

function decidingVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: args }) => {
      for (const { value } of args ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
