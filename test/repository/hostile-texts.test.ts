import { expect, test } from 'vitest';
import { emailPattern, searchedEmails, storedEmail } from '../../src/core/contacts/emails.ts';
import { storedPhone } from '../../src/core/contacts/phones.ts';
import { redact } from '../../src/core/redact.ts';
import { termHashesOf } from '../../src/domain/knowledge/gap-notes.ts';
import { asksAgent, isQuestion } from '../../src/domain/knowledge/gap-reason.ts';
import { captureContacts, captureOthers } from '../../src/domain/leads/captured-values.ts';
import { cellText } from '../../src/http/pages/panels/csv.ts';
import { splitPassages } from '../../src/knowledge/chunk.ts';
import { readAsciidoc } from '../../src/knowledge/extract/plain/asciidoc.ts';
import { readLatex } from '../../src/knowledge/extract/plain/latex.ts';
import { readOrg } from '../../src/knowledge/extract/plain/org.ts';
import { readRestructured } from '../../src/knowledge/extract/plain/restructured.ts';
import { safeWords } from '../../src/model/attempts/provider-words.ts';
import { chooseTools } from '../../src/model/embedded/choose-tools.ts';
import { findAnswer } from '../../src/model/embedded/find-answer.ts';
import { asksIdentity, isGreeting, isThanks } from '../../src/model/embedded/small-talk.ts';
import { sourceOf } from '../../src/model/entailment/source.ts';
import { extractSummary } from '../../src/model/prompt/extract-summary.ts';
import { fitPrompt } from '../../src/model/prompt/prompt.ts';
import { cleanHtml } from '../../src/model/reply/html.ts';
import { fenceOff, sentencesOf, termsOf } from '../../src/model/reply/text.ts';
import { createThoughtFilter, withoutThoughts } from '../../src/model/reply/thoughts.ts';
import { keepGrounded, keepGroundedAnswer } from '../../src/model/restricted/keep-grounded.ts';
import { isSmallTalk } from '../../src/model/restricted/talk.ts';
import type { WantedField } from '../../src/model/service.ts';
import { cite } from '../../src/model/tasks/cite.ts';
import { analyzeContent, readContent } from '../../src/search/analysis.ts';
import { markWords } from '../../src/search/retrieve.ts';
import { foldName } from '../../src/text/fold.ts';
import { languageOf } from '../../src/text/language.ts';
import { queryWords, wordSpans } from '../../src/text/lexemes.ts';
import { renderMarkdown } from '../../src/widget/browser/markdown.ts';
import { passage, request, returns, weather } from '../support/model/model-requests.ts';
import { casesOf, someOf } from '../support/random/cases.ts';
import { growth } from '../support/random/growth.ts';
import { hostileTexts } from '../support/random/hostile-texts.ts';
import { Random } from '../support/random/random.ts';
import { seed } from '../support/random/seed.ts';

const field = (name: string, type: WantedField['type'], options: string[] = []): WantedField => ({
  name,
  type,
  description: '',
  options,
});
const fields = [
  field('company', 'text'),
  field('Work phone', 'phone'),
  field('order', 'email'),
  field('Budget', 'number'),
  field('name it', 'url'),
  field('the', 'boolean'),
  field('start', 'date'),
  field('plan', 'choice', ['gold', 'silver']),
  field('extras', 'multi_choice', ['a', 'gold', '1']),
  field('cpf', 'cpf'),
  field('cnpj', 'cnpj'),
];
const properties = { city: { type: 'string' }, phone: { type: 'string' }, kind: { enum: ['a', 'gold'] } };
const order = { name: 'find_order', description: '', parameters: { type: 'object', properties } };
const restrictedTo = (said: string, source = returns) =>
  request(said, { passages: [source], agent: { freedom: 'restricted' } });
const restricted = restrictedTo('Returns?');
const reply = 'You may return an item within 30 days of delivery. Items on sale are returned within 5 days.';
const inPieces = (text: string): void => {
  const filter = createThoughtFilter({ begun: true });
  for (const piece of text.match(/[^]{1,20}/g) ?? []) filter.push(piece);
  filter.end();
};

/** All that reads the text of a visitor, of a page or of a model, each as it is called for a text of any length. */
const readers: Record<string, (text: string) => unknown> = {
  'contact details': (text) => captureContacts([text]),
  'contact details of several messages': (text) => captureContacts(text.match(/[^]{1,500}/g) ?? []),
  'phone number': storedPhone,
  'email address': (text) => [storedEmail(text), searchedEmails(text), emailPattern.test(text)],
  'cell of a table': cellText,
  'words of an error': redact,
  'lead fields': (text) => captureOthers([text], fields),
  'gap: question': (text) => [isQuestion(text), asksAgent(text, 'Bia')],
  'gap: marks': (text) => termHashesOf(text, 'agent'),
  LaTeX: readLatex,
  Org: readOrg,
  AsciiDoc: readAsciidoc,
  reStructuredText: readRestructured,
  passages: (text) => splitPassages([{ text }]),
  index: (text) => analyzeContent(readContent({ text, place: { heading: text } }), 'p'),
  'query words': queryWords,
  'word spans': wordSpans,
  highlights: (text) => markWords({ text }, queryWords(text)).highlights(),
  names: (text) => foldName(text),
  sentences: sentencesOf,
  terms: termsOf,
  language: (text) => languageOf(text),
  'small talk': (text) => [isGreeting(text, 'Bia'), isThanks(text), asksIdentity(text)],
  tools: (text) => chooseTools(text, [order, weather]),
  summary: (text) => extractSummary(null, [{ role: 'user', content: text }]),
  'answer to a question': (text) => findAnswer(text, [returns], new Set()),
  'answer in a passage': (text) => findAnswer('Are items on sale returned?', [passage(text)], new Set()),
  'statements of a source': (text) => sourceOf(text),
  prompt: (text) => fitPrompt(request(text, { passages: [passage(text)] }), 8_000, null),
  fence: (text) => fenceOff(text, 'passage'),
  'error of a provider': (text) => safeWords(text, { secret: 'key', prompt: { content: 'Hello' } }),
  'error about a prompt': (text) => safeWords('no such thing', { secret: null, prompt: { content: text } }),
  thoughts: withoutThoughts,
  'streamed thoughts': inPieces,
  citations: (text) => cite(request('Returns?', { passages: [returns] }), text),
  'restricted reply': (text) => keepGrounded(restricted, text),
  'restricted reply to a text': (text) => keepGrounded(restrictedTo(text), reply),
  'restricted reply from a text': (text) => keepGrounded(restrictedTo('Returns?', passage(text)), reply),
  'restricted answer in JSON': (text) => keepGroundedAnswer(restricted, { answer: text }),
  'restricted courtesy': (text) => isSmallTalk(`Hello ${text}`, new Set()),
  'reply in HTML': cleanHtml,
  'reply in the widget': renderMarkdown,
};
const texts = hostileTexts(new Random(seed), casesOf(500));
const cases = Object.entries(readers).flatMap(([reader, read]) => texts.map((text) => ({ reader, read, text })));

test.each(someOf(cases, 250).map((one) => [one.reader, one.text.name, one] as const))(
  'twice as much hostile text takes twice as long: %s of %s',
  async (_reader, _text, { read, text }) => {
    // Eight times as long would be quadratic.
    expect(await growth(12_000, (length) => read(text.of(length)))).toBeLessThan(5);
  },
);
