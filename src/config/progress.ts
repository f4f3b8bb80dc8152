/** Reports a startup step once it has taken a second; quick steps stay silent. */
export function createProgress(write: (line: string) => void): { step(text: string): void; done(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    step(text) {
      clearTimeout(timer);
      timer = setTimeout(() => write(`${text} …`), 1_000).unref();
    },
    done() {
      clearTimeout(timer);
    },
  };
}
