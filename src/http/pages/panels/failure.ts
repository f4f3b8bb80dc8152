/** An error of the gateway: in a REST body as it is, in a GraphQL response with the issues in `extensions`. */
export type Failure = {
  message?: string;
  issues?: { message: string }[];
  extensions?: { code?: string; issues?: { message: string }[] };
};

/** What is wrong, line by line: the issues, where the message only says that there are some. */
export function linesOf({ message, issues, extensions }: Failure = {}): string[] {
  const found = issues ?? extensions?.issues ?? [];
  return found.length > 0 ? found.map((issue) => issue.message) : [message ?? 'The gateway did not answer.'];
}
