import { fenceOff, firstTokens } from '../reply/text.ts';
import type { ModelAttachment } from '../types.ts';

/**
 * The text read from files, each with its name, within `tokens` in total. It is fenced off as material, not
 * instructions.
 */
export function fileText(attachments: ModelAttachment[], tokens: number): string[] {
  const read = attachments.filter(({ text }) => text);
  return read.map(({ name, text }) => {
    const shown = firstTokens(text ?? '', tokens / read.length);
    const rest = shown.length < (text ?? '').length ? '\n[the rest of the file is left out]' : '';
    const called = JSON.stringify(fenceOff(name ?? '', 'file'));
    return `<file name=${called}>\n${fenceOff(shown, 'file')}${rest}\n</file>`;
  });
}
