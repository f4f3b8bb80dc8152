import { expect, test } from 'vitest';
import { createTokenFilter, withoutTokens } from '../../src/model/reply/control-tokens.ts';

/** What templates leave in a text, and what a person should read. */
const tokens: [given: string, read: string][] = [
  ['Hello.<|im_end|>', 'Hello.'],
  ['Hello.<|im_end|>\n<|im_start|>user\nAnd the price?<|im_end|>', 'Hello.'],
  ['<|im_start|>assistant\nHello.<|im_end|>', 'Hello.'],
  ['Hello.<|im_start|>user\nWhy?', 'Hello.'],
  ['Hello.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhy?', 'Hello.'],
  ['<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>', 'Hello.'],
  ['Hello.<|endoftext|>', 'Hello.'],
  ['Hello.<|end_of_text|>', 'Hello.'],
  ['Hello.<|end|>', 'Hello.'],
  ['Hello.</s>', 'Hello.'],
  ['Hello.</s>\n', 'Hello.'],
  ['Hello.<end_of_turn>\n<start_of_turn>user\nWhy?', 'Hello.'],
  ['<start_of_turn>model\nHello.<end_of_turn>', 'Hello.'],
  ['Hello. [/INST] Why? [INST]', 'Hello.'],
  ['[/INST] Hello.', 'Hello.'],
  ['Hello.<｜end▁of▁sentence｜>', 'Hello.'],
  ['<bos>Hello.<eos>', 'Hello.'],
  ['Hello.<|END_OF_TURN_TOKEN|>', 'Hello.'],
  ['Hello.<|user|>\nWhy?', 'Hello.'],
  ['Hello <|reserved_token_7|>there.', 'Hello there.'],
  // What a person may mean.
  ['Write `<|im_end|>` at the end.', 'Write `<|im_end|>` at the end.'],
  ['```\n<|im_start|>user\nHi<|im_end|>\n```\nSo.', '```\n<|im_start|>user\nHi<|im_end|>\n```\nSo.'],
  ['Was <s>10</s>', 'Was <s>10</s>'],
  ['<p>Was <s>10</s>, now 9.</p>', '<p>Was <s>10</s>, now 9.</p>'],
  ['f <| x |> g, a < b and [1]', 'f <| x |> g, a < b and [1]'],
  ['An end </s> in the midst', 'An end </s> in the midst'],
];
test.each(tokens)('%j is read as %j, however it is cut', (given, read) => {
  expect(withoutTokens(given).trim()).toBe(read);
  for (let size = 1; size <= 7; size++) {
    const filter = createTokenFilter();
    let told = '';
    for (let at = 0; at < given.length; at += size) told += filter.push(given.slice(at, at + size));
    expect((told + filter.end()).trim()).toBe(read);
  }
});
