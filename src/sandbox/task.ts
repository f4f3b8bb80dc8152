/** Receives how many parts are done, and of how many. */
export type OnProgress = (done: number, total: number) => void;

/** Work for a child process: the function `name` exported by `module`. Only the child loads the module. */
export type Task<Input extends object = object, Answer = unknown> = {
  readonly module: string;
  readonly name: string;
  /** Phantom property that carries the types. */
  readonly types?: { input: Input; answer: Answer };
};

/** Declares a module's function as a task; its type is passed explicitly, so that the module is not loaded here. */
export const defineTask = <Run extends (input: never, onProgress: OnProgress) => unknown>(
  module: URL,
  name: string,
): Task<Parameters<Run>[0] & object, Awaited<ReturnType<Run>>> => ({ module: module.href, name });
