import type { Random } from '../random/random.ts';

/** How fragments of a graph spread each other: within fields, at the same place, or within inline fragments. */
const ways = [
  (name: string, at: number) => `a${at}: conversations(first: 1) { nodes { agent { ...${name} } } }`,
  (name: string) => `...${name}`,
  (name: string) => `... on Agent { id ... { ...${name} } }`,
  (name: string, at: number) =>
    `k${at}: conversations(first: 0, filter: {status: [active]}) { nodes { agent { ...${name} } } }`,
  (name: string) => `... @include(if: true) { ...${name} }`,
];

/**
 * A random graph of fragments on Agent, F0 first, without cycles, each of which is used. The document is as long as
 * there are fragments.
 */
export function fragmentGraph(random: Random, fragments: number): string {
  const name = (at: number) => `F${at}`;
  const tag = random.between(0, 1e9);
  const last = fragments - 1;
  const bodies = Array.from({ length: fragments }, (_, at) => {
    if (at === last) return `t${tag}: name`;
    const fan = random.between(0, 2);
    const others = Array.from({ length: fan }, () => random.between(at + 1, Math.min(last, at + 3)));
    return [at + 1, ...others].map((to, edge) => random.pick(ways)(name(to), edge)).join(' ');
  });
  return bodies.map((body, at) => `fragment ${name(at)} on Agent { id ${body} }`).join('\n');
}
