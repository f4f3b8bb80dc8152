import { type Numbered, type Numbering, numberPassages, removed } from './numbering.ts';
import { type Block, entry, type Run } from './postings.ts';

/** What the index contains of a query's words. Frequencies and lengths are those of the whole workspace. */
export type Evidence = {
  /** The number of passages in the workspace, and their average length in words. */
  passages: number;
  averageWords: number;
  runs: Run[];
  /** For each word of the query its blocks, and the number of other passages that contain it; see `QueryWord`. */
  words: { blocks: Block[]; elsewhere: number; weight?: number; isPair?: boolean }[];
};
export type Ranked = { segment: number; slot: number; score: number };
type RankOptions = {
  limit: number;
  /** The share of the query that a passage must contain, with words weighted by rarity; 0 ranks any match. */
  minShare: number;
};

/** Lucene's default parameters: saturation of the term frequency, and normalization by length. */
const k1 = 1.2;
const b = 0.75;
/** In a long query, matching this multiple of its rarest word is enough. */
const enoughOfRarest = 1.8;

/** The weight of a bigram that no passage contains: most of these span two words. */
const shareOfDoubtful = 0.3;

/** The inverse document frequency of a word in `frequency` of `passages`. */
export const rarity = (passages: number, frequency: number): number =>
  Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));

/** What a term frequency is compared with, by the length of the passage in words. */
export const lengthNorms = (averageWords: number): Float64Array =>
  Float64Array.from({ length: 256 }, (_, words) => k1 * (1 - b + (b * words) / averageWords));

/**
 * Ranks the passages of the wanted segments by BM25 (Lucene's variant), best first, older ones first among equals. Also
 * returns how many passages of the workspace contain each word, and its rarity there.
 */
export function rank(
  evidence: Evidence,
  { limit, minShare }: RankOptions,
): { best: Ranked[]; held: number[]; rarities: number[] } {
  const numbered = numberPassages(evidence.runs);
  const words = countWords(evidence, numbered);
  const shares = words.map(({ frequency }, index) => {
    const isDoubtful = frequency === 0 && evidence.words[index]?.isPair;
    return shareOf(evidence.passages, frequency) * (isDoubtful ? shareOfDoubtful : 1);
  });
  const sums = sumUp(evidence, numbered, words, shares);
  const enough = minShare > 0.5 ? Infinity : enoughOfRarest * Math.max(...shares) * Math.sign(minShare);
  const minSum = Math.min(minShare * sumOf(shares), enough);
  const best = bestOf(sums.scores, limit, { shares: sums.shares, minSum: minSum - 1e-9 });
  return {
    best: best.map((candidate) => ({ ...numbered.locate(candidate), score: sums.scores[candidate] as number })),
    held: words.map(({ frequency }) => frequency),
    rarities: shares,
  };
}

type Word = { blocks: NumberedBlock[]; frequency: number };

/** Returns each word's blocks, and its document frequency. */
function countWords(evidence: Evidence, numbered: Numbered): Word[] {
  return evidence.words.map(({ blocks, elsewhere }) => {
    const numberedBlocks = blocks.flatMap((block) => {
      const numbering = numbered.runs.get(block.run);
      return numbering ? { bytes: block.bytes, numbering } : [];
    });
    return { blocks: numberedBlocks, frequency: numberedBlocks.reduce((sum, block) => sum + count(block), elsewhere) };
  });
}

/** Sums up every passage's score, and the shares of the words that it contains. */
function sumUp(evidence: Evidence, numbered: Numbered, words: Word[], shares: number[]): Sums {
  const norms = lengthNorms(evidence.averageWords);
  const sums = zeros(numbered.size);
  for (const [index, { blocks, frequency }] of words.entries()) {
    const weight = rarity(evidence.passages, frequency) * (evidence.words[index]?.weight ?? 1);
    const worth = { weight, share: shares[index] as number, norms };
    for (const block of blocks) addBlock(sums, block, worth);
  }
  return sums;
}

type NumberedBlock = { bytes: Uint8Array; numbering: Numbering };

/** The number of passages of the block that still exist. */
function count({ bytes, numbering: { candidates, whole } }: NumberedBlock): number {
  if (whole || !candidates) return bytes.length / entry;
  let held = 0;
  for (let at = 0; at < bytes.length; at += entry) {
    if (candidates[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] !== removed) held++;
  }
  return held;
}

/** Each passage's score, and the share of the query that it contains. */
type Sums = { scores: Float64Array; shares: Float64Array };
type Worth = { weight: number; share: number; norms: Float64Array };

/** Adds a word's score to every passage of the block. Hot path: a search runs this a hundred thousand times. */
function addBlock(
  { scores, shares }: Sums,
  { bytes, numbering: { first, candidates } }: NumberedBlock,
  { weight, share, norms }: Worth,
): void {
  for (let at = 0; at < bytes.length; at += entry) {
    const slot = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    const candidate = candidates ? (candidates[slot] as number) : first + slot;
    if (candidate < 0) continue;
    const count = bytes[at + 2] as number;
    scores[candidate] =
      (scores[candidate] as number) + (weight * count) / (count + (norms[bytes[at + 3] as number] as number));
    shares[candidate] = (shares[candidate] as number) + share;
  }
}

// Reused, like the arrays of the numbering.
let kept: Sums = { scores: new Float64Array(0), shares: new Float64Array(0) };

function zeros(size: number): Sums {
  if (kept.scores.length < size) kept = { scores: new Float64Array(size), shares: new Float64Array(size) };
  return { scores: kept.scores.subarray(0, size).fill(0), shares: kept.shares.subarray(0, size).fill(0) };
}

// A word that no passage contains weighs as much as one that a single passage does. With few passages, rarity means
// little.
const shareOf = (passages: number, frequency: number) => rarity(passages + 20, Math.max(frequency, 1));

const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Above this limit a full sort is used. */
const maxInserted = 5_000;

/**
 * Returns the positions of the highest positive scores among those whose share is enough, highest first; among equals,
 * the first ones first, or else the last ones.
 */
export function bestOf(
  scores: Float64Array,
  limit: number,
  {
    lastFirst = false,
    shares = null,
    minSum = 0,
  }: { lastFirst?: boolean; shares?: Float64Array | null; minSum?: number },
): number[] {
  const positions: number[] = [];
  let bar = 0;
  for (let n = 0; n < scores.length; n++) {
    const at = lastFirst ? scores.length - 1 - n : n;
    const score = scores[at] as number;
    if (score <= bar || (shares && (shares[at] as number) < minSum)) continue;
    if (limit > maxInserted) positions.push(at);
    else {
      insertCandidate(positions, scores, at);
      if (positions.length > limit) positions.pop();
      if (positions.length === limit) bar = scores[positions.at(-1) as number] as number;
    }
  }
  if (limit <= maxInserted) return positions;
  return positions.sort((a, b) => (scores[b] as number) - (scores[a] as number)).slice(0, limit);
}

/** Inserts a position into a list sorted by descending score, behind equal scores. */
function insertCandidate(candidates: number[], scores: Float64Array, at: number): void {
  let [low, high] = [0, candidates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((scores[candidates[middle] as number] as number) >= (scores[at] as number)) low = middle + 1;
    else high = middle;
  }
  candidates.splice(low, 0, at);
}
