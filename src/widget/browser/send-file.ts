type Options = { token: string; signal: AbortSignal; onProgress: (part: number) => void };
type Answer = { status: number; text: string };

/** Posts a file. `fetch` does not report how much of a body was sent. Rejects if the gateway cannot be reached. */
export function sendFile(url: string, file: File, { token, signal, onProgress }: Options): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // `abort` was fired already if the file was removed while an expired token was renewed.
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('content-type', file.type || 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => resolve({ status: request.status, text: request.responseText }));
    request.addEventListener('error', () => reject(new Error('The upload was interrupted.')));
    request.addEventListener('abort', () => reject(new Error('The upload was cancelled.')));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
