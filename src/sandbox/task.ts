/** Hears how many parts of how many are read. */
export type OnProgress = (done: number, total: number) => void;

/** Work for a child process: the function `name` that `module` exports. The child alone loads the module. */
export type Task<Asked extends object = object, Answer = unknown> = {
  readonly module: string;
  readonly name: string;
  /** Never there: it carries the types. */
  readonly types?: { asked: Asked; answer: Answer };
};

/** Declares the function of a module as a task; its type is given, so that the module is not loaded here. */
export const defineTask = <Run extends (asked: never, onProgress: OnProgress) => unknown>(
  module: URL,
  name: string,
): Task<Parameters<Run>[0] & object, Awaited<ReturnType<Run>>> => ({ module: module.href, name });
