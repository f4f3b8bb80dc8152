import { GrowingText } from '../../text/growing.ts';

/**
 * The tokens with which templates of conversations mark turns. A server with the wrong template sends them as text;
 * what follows the end of a turn is the model playing the visitor.
 */
const ends =
  /<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end_of_turn|END_OF_TURN_TOKEN|return|user|observation)\|>|<\|(?:im_start|start_header_id|start)\|>(?:user|system)|<｜(?:end▁of▁sentence|User)｜>|<end_of_turn>|<start_of_turn>user|<eos>|<\/s>\s{0,50}$|\[\/?INST\]/;
const others =
  /<\|(?:im_start|start_header_id|start|channel)\|>(?:assistant|final)?|<\|[A-Za-z]\w{0,38}\|>|<｜[^｜<>]{1,38}｜>|<start_of_turn>(?:model)?|<bos>/;
const any = new RegExp(`\`\`\`|(${ends.source})|(?:${others.source})`, 'g');
/** What may become one of them, or end the text after all. */
const partial =
  /(?:<[^<>\n]{0,44}|<\/s>\s{0,50}|<\|\w{1,40}\|>[a-z]{0,9}|<start_of_turn>[a-z]{0,5}|\[\/?[INST]{0,4}|`{1,2})$/;

type Filter = { push(delta: string): string; end(): string };

/** Removes such tokens from streamed text, and what follows the end of a turn. In code they are kept. */
export function createTokenFilter(): Filter {
  let held = '';
  const said = new GrowingText();
  let isFenced = false;
  let isOver = false;
  const emit = (text: string): string => {
    said.push(text);
    return text;
  };
  const read = (ended: boolean): string => {
    if (isOver) return '';
    let output = '';
    let at = 0;
    const limit = ended ? held.length : (partial.exec(held)?.index ?? held.length);
    for (const found of held.matchAll(any)) {
      const { index, 0: mark, 1: end } = found;
      if (index >= limit) break;
      output += emit(held.slice(at, index));
      at = index + mark.length;
      if (mark === '```') isFenced = !isFenced;
      const isStrike = mark.startsWith('</s>') && said.toString().includes('<s>');
      if (mark === '```' || isFenced || isStrike || said.toString().endsWith('`')) output += emit(mark);
      else if (end && said.toString().trim()) {
        isOver = true;
        held = '';
        return output;
      }
    }
    const rest = Math.max(at, limit);
    output += emit(held.slice(at, rest));
    held = held.slice(rest);
    return output;
  };
  return {
    push(delta) {
      held += delta;
      return read(false);
    },
    end: () => read(true),
  };
}

/** Removes such tokens from a complete text. */
export function withoutTokens(text: string): string {
  const filter = createTokenFilter();
  return filter.push(text) + filter.end();
}
