import type { Protocol } from './model-server.ts';

type Part = { functionCall?: { name: string }; functionResponse?: { name: string } };
type Content = { role: string; parts: Part[] };

const usageMetadata = {
  promptTokenCount: 11,
  candidatesTokenCount: 7,
  totalTokenCount: 18,
  cachedContentTokenCount: 4,
};
const chunk = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
  usageMetadata,
  modelVersion: 'gemini',
});

/** Google's generateContent, which refuses what the real one refuses. */
export const googleProtocol = (key: string): Protocol => ({
  refusal({ path, headers, body }) {
    if (headers['x-goog-api-key'] !== key) return { status: 400, message: 'API key not valid.' };
    if (!/^\/v1beta\/models\/[\w.-]+:(generateContent|streamGenerateContent\?alt=sse)$/.test(path)) {
      return { status: 404, message: 'Not found' };
    }
    const wrong = wrongIn(body.contents as Content[]);
    return wrong ? { status: 400, message: wrong } : null;
  },
  error: (code, text) => ({
    error: { code, message: text, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE' },
  }),
  isStreamed: ({ path }) => path.includes('streamGenerateContent'),
  whole: (text, call, cutOff) => chunk(call ? [partOf(call)] : [{ text }], cutOff ? 'MAX_TOKENS' : 'STOP'),
  begin: [],
  word: (text) => [chunk([{ text }])],
  call: (call) => [chunk([partOf(call)])],
  end: (_, cutOff) => [chunk([{ text: '' }], cutOff ? 'MAX_TOKENS' : 'STOP')],
  failure: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
  named: false,
});

const partOf = ({ name, input }: { name: string; input: object }) => ({ functionCall: { name, args: input } });

function wrongIn(contents: Content[]): string | null {
  if (contents.at(-1)?.role !== 'user') return 'Please ensure that the last turn is of the user.';
  for (const [index, { parts }] of contents.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall).length;
    const answers = contents[index + 1]?.parts.filter(({ functionResponse }) => functionResponse).length ?? 0;
    if (calls > 0 && calls !== answers)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts.';
  }
  return null;
}
