/** Tells a person, once a step has taken a second, what a start is doing; quick steps pass in silence. */
export function createProgress(say: (line: string) => void): { step(text: string): void; done(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    step(text) {
      clearTimeout(timer);
      timer = setTimeout(() => say(`${text} …`), 1_000).unref();
    },
    done() {
      clearTimeout(timer);
    },
  };
}
