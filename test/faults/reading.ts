import { setTimeout as sleep } from 'node:timers/promises';
import { ask, dataOf } from './client.ts';
import type { House, Trial, World } from './types.ts';
import { faultOf, isAcknowledged } from './verdict.ts';

/** Enough for a separate segment, so that several are merged into a run. */
const itemsOfSource = 260;
const readMs = 120_000;

/** A word that only one passage of the source contains. */
const wordOf = (key: string, index: number) => `zq${key}x${index}`;

const sourceOf = (key: string) => ({
  type: 'faq',
  file: {
    key,
    data: {
      items: Array.from({ length: itemsOfSource }, (_, index) => ({
        question: `What is said of ${wordOf(key, index)}?`,
        answer: `What is said of ${wordOf(key, index)} stands here and nowhere else.`,
      })),
    },
  },
});

/** A base that receives sources while gateways are killed, and the expected state of each. */
export class Reading {
  readonly #trial: Trial;
  readonly #world: World;
  readonly #keys: string[] = [];
  #id = '';
  #count = 0;

  constructor(trial: Trial, world: World) {
    this.#trial = trial;
    this.#world = world;
  }

  get #house(): House {
    return this.#world.house;
  }

  async open(url: string): Promise<void> {
    const body = { description: 'Handbook', sources: [sourceOf('first')] };
    const { reply } = await ask(url, { path: '/rest/bases', token: this.#house.token, body });
    this.#id = reply?.body.id;
    this.#keys.push('first');
  }

  async addAll(count: number, url: () => string): Promise<void> {
    for (let left = count; left > 0; left -= 1) await this.#add(url);
  }

  /** Adds a source and resolves when it is acknowledged. The PUT is safe to repeat: it names the key. */
  async #add(url: () => string): Promise<void> {
    const { score } = this.#trial;
    const key = `s${(this.#count += 1)}`;
    const body = { description: 'Handbook', sources: [sourceOf(key)] };
    score.tried += 1;
    for (let tries = 0; tries < 300; tries += 1) {
      const to = url();
      const sent = { method: 'PUT', path: `/rest/bases/${this.#id}`, token: this.#house.token, body };
      const outcome = await ask(to, sent);
      if (isAcknowledged(outcome)) return void this.#keys.push(key);
      const { reply } = outcome;
      const refusal = reply && reply.status < 500 ? `a source was refused: ${reply.text.slice(0, 200)}` : null;
      const fault = faultOf(outcome, this.#world.isKilled(to)) ?? refusal;
      if (fault) score.count('wrong', fault);
      if (refusal) return;
      await sleep(200);
    }
    score.count('wrong', 'a source was not taken in 300 tries');
  }

  /** Waits until every source is read. */
  async settle(url: string): Promise<void> {
    const deadline = Date.now() + readMs;
    const query = 'query ($id: ID!) { base(id: $id) { status sources(first: 100) { nodes { status reason } } } }';
    for (;;) {
      const { base } = await dataOf(url, this.#house.token, query, { id: this.#id });
      if (base.status === 'succeeded') return;
      const failed = base.sources.nodes.find(({ status }: { status: string }) => status === 'failed');
      if (failed) return this.#trial.score.count('wrong', `a source failed: ${failed.reason}`);
      if (Date.now() > deadline) return this.#trial.score.count('wrong', `not read after ${readMs / 1000} s`);
      await sleep(300);
    }
  }

  /** Each acknowledged source exists once with all of its passages, and each passage is found once. */
  async compare(url: string): Promise<void> {
    const { score } = this.#trial;
    const query = `query ($id: ID!) { base(id: $id) { records sources(first: 100) {
      nodes { file { key } passages(first: 0) { totalCount } } } } }`;
    const { base } = await dataOf(url, this.#house.token, query, { id: this.#id });
    const found = Map.groupBy(base.sources.nodes as Found[], ({ file }) => file.key);
    for (const key of this.#keys) {
      const sources = found.get(key) ?? [];
      if (sources.length > 1) score.count('doubled', 'a source is there twice');
      const passages = sources.reduce((sum, source) => sum + source.passages.totalCount, 0);
      if (passages < itemsOfSource) score.count('lost', 'passages of a source');
      if (passages > itemsOfSource) score.count('doubled', 'passages of a source');
      await this.#search(url, wordOf(key, Math.floor(this.#trial.random() * itemsOfSource)));
    }
    const expected = found.size * itemsOfSource;
    if (base.records !== expected) score.count('wrong', `the base tells ${base.records} records, and has ${expected}`);
  }

  async #search(url: string, word: string): Promise<void> {
    const query =
      'query ($query: String!, $ids: [ID!]) { searchPassages(query: $query, baseIds: $ids, first: 5) { nodes { passage { text } } } }';
    const { searchPassages } = await dataOf(url, this.#house.token, query, { query: word, ids: [this.#id] });
    const hits = searchPassages.nodes.filter(({ passage }: Hit) => passage.text.includes(`${word} `)).length;
    if (hits === 0) this.#trial.score.count('lost', 'a passage is there, and is not found');
    if (hits > 1) this.#trial.score.count('doubled', 'a passage is found twice');
  }
}

type Hit = { passage: { text: string } };
type Found = { file: { key: string }; passages: { totalCount: number } };
