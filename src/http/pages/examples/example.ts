/** An operation that GraphiQL offers. A comment at its start says what it is for. */
export type Example = {
  /** The name of its operation. */
  title: string;
  label: string;
  query: string;
  variables?: Record<string, unknown>;
  /** Variables that take an id of an earlier result: the prefix of the id, by the path of the variable. */
  takes?: Record<string, string>;
  /** Whether its sources may be files of the visitor. */
  files?: boolean;
};
export type ExampleGroup = { title: string /** Whether they are steps. */; ordered?: boolean; examples: Example[] };
