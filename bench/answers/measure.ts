import type { Database } from '../../src/database/client.ts';
import { newId } from '../../src/database/ids.ts';
import { splitPassages } from '../../src/knowledge/chunk.ts';
import { phrases } from '../../src/model/embedded/phrases.ts';
import { occursIn } from '../../src/model/reply/text.ts';
import { createModelService, type ModelPassage, type ReplyRequest } from '../../src/model/service.ts';
import { insertPassages } from '../../src/search/passages.ts';
import { searchPassages } from '../../src/search/retrieve.ts';
import type { Articles, Question } from './squad.ts';

/**
 * Shares of the questions, except for counts. A plain reply quotes without the caveat that it is only the closest
 * match.
 */
export type Answered = {
  questions: number;
  /** Of the questions that have an answer. */
  cited: number;
  contained: number;
  plain: number;
  /** Of the questions that their article does not answer: admitted, or quoted with the caveat. */
  admitted: number;
  /** Of all questions, asked without their article: replied to plainly. */
  offTopic: number;
  /** References whose quote does not occur in their passage. */
  falseCitations: number;
};

type Place = { sourceId: string; paragraph: number };
type BenchBase = {
  workspaceId: string;
  baseId: string;
  sources: string[];
  places: Map<string, Place>;
  titles: Map<string, string>;
};

/** How many passages a model receives per turn. */
const passageLimit = 6;
const model = createModelService({ models: { list: [], default: 'embedded' }, timeoutMs: 60_000 });
const caveats = Object.values(phrases).map(({ closest }) => closest);

/** Asks the embedded model every question twice: with all articles, and with all but its own. */
export async function measureAnswers(database: Database, { articles, questions }: Articles): Promise<Answered> {
  const base = await fill(database, articles);
  const count = { cited: 0, contained: 0, plain: 0, admitted: 0, offTopic: 0, falseCitations: 0 };
  const answerable = questions.filter(({ answers }) => answers.length > 0);
  for (const question of questions) {
    const reply = await ask(database, base, question, base.sources);
    count.falseCitations += reply.falseCitations;
    if (question.answers.length === 0) {
      if (!reply.isPlain) count.admitted++;
    } else {
      const { article, paragraph } = question;
      if (reply.places.some((place) => place.sourceId === base.sources[article] && place.paragraph === paragraph))
        count.cited++;
      if (question.answers.some((answer) => occursIn(answer, reply.content))) count.contained++;
      if (reply.isPlain) count.plain++;
    }
    const others = base.sources.filter((_, index) => index !== question.article);
    if ((await ask(database, base, question, others)).isPlain) count.offTopic++;
  }
  const share = (of: number, all: number) => (all > 0 ? of / all : 0);
  return {
    questions: questions.length,
    cited: share(count.cited, answerable.length),
    contained: share(count.contained, answerable.length),
    plain: share(count.plain, answerable.length),
    admitted: share(count.admitted, questions.length - answerable.length),
    offTopic: share(count.offTopic, questions.length),
    falseCitations: count.falseCitations,
  };
}

async function ask(database: Database, base: BenchBase, { text }: Question, sourceIds: string[]) {
  const { workspaceId, baseId } = base;
  const found = await searchPassages(database, {
    workspaceId,
    baseIds: [baseId],
    sourceIds,
    query: text,
    limit: passageLimit,
  });
  const passages: ModelPassage[] = found.map((passage) => ({ ...passage, title: base.titles.get(passage.sourceId) }));
  const { content, references } = await model.reply(requestOf(text, passages));
  const replyText = content ?? '';
  const cited = references.flatMap((reference) => found.find(({ id }) => id === reference.passageId) ?? []);
  return {
    content: replyText,
    places: cited.flatMap(({ id }) => base.places.get(id) ?? []),
    isPlain: references.length > 0 && !caveats.some((caveat) => replyText.includes(caveat)),
    falseCitations: references.filter(({ quote, passageId }) => {
      const passage = found.find(({ id }) => id === passageId);
      return !passage || !occursIn(quote, passage.text);
    }).length,
  };
}

const requestOf = (content: string, passages: ModelPassage[]): ReplyRequest => ({
  agent: { name: 'Ada', instructions: null, welcome: null, freedom: 'balanced', purpose: 'support', references: true },
  format: 'markdown',
  history: [{ role: 'user', content }],
  passages,
  tools: [],
});

async function fill(database: Database, articles: Articles['articles']): Promise<BenchBase> {
  const [workspaceId, baseId] = [newId('workspace'), newId('base')];
  await database.workspace.create({ data: { id: workspaceId, name: 'Answers' } });
  await database.base.create({ data: { id: baseId, workspaceId, description: 'Answers' } });
  const base: BenchBase = { workspaceId, baseId, sources: [], places: new Map(), titles: new Map() };
  for (const { title, paragraphs } of articles) {
    const sourceId = newId('source');
    base.sources.push(sourceId);
    base.titles.set(sourceId, title);
    await database.source.create({
      data: { id: sourceId, workspaceId, baseId, type: 'file', status: 'succeeded', title },
    });
    const pieces = paragraphs.flatMap((text, paragraph) =>
      splitPassages([{ text }]).map((piece) => ({ ...piece, paragraph })),
    );
    await insertPassages(
      database,
      pieces.map(({ text, place }, position) => ({ workspaceId, baseId, sourceId, position, text, place })),
    );
    const rows = await database.passage.findMany({ where: { sourceId }, select: { id: true, position: true } });
    for (const { id, position } of rows)
      base.places.set(id, { sourceId, paragraph: pieces[position]?.paragraph ?? -1 });
  }
  return base;
}
