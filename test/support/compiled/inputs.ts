import { Random } from '../random/random.ts';
import { inputs } from '../world/inputs.ts';
import type { WorldIds } from '../world/world.ts';

type Input = Record<string, unknown>;

const text = (random: Random) =>
  random.pick(['Ana', '  Ação "quoted"  ', '', "it's; --", '😀\u2028', random.chance(0.9) ? 'Bia' : 'x'.repeat(201)]);
const object = (random: Random) =>
  random.pick([
    {},
    { source: 'ads', other: [1, { deep: null }] },
    { 2: 'b', 1: 'a', 'k"': 1e21 },
    random.chance(0.1) ? { source: 7 } : { term: '' },
  ]);

/** Valid and invalid values for a key. */
const values: Record<string, (random: Random, ids: WorldIds) => unknown> = {
  email: (random) =>
    random.pick(['Ana@Example.com', random.chance(0.9) ? 'b@example.com' : 'nonsense', '', 'ana@example.com']),
  phone: (random) => random.pick(['11 98765-4321', '+5511987654321', random.chance(0.1) ? '12' : null, '']),
  utm: object,
  custom: object,
  capture: (random) => random.pick(['completed', 'partial']),
  color: (random) => random.pick(['#fff', random.chance(0.1) ? 'red' : '#000', '#2563EB']),
  purpose: (random) => random.pick(['sales', random.chance(0.1) ? 'nothing' : 'leads']),
  freedom: (random) => random.pick(['free', 'restricted']),
  references: (random) => random.chance(0.5),
  agentId: (random, { agentId }) => (random.chance(0.9) ? agentId : 'agt_00000000000000000000000000'),
};

/** Optional keys in addition to those of the normal input. */
const optional: Record<string, string[]> = {
  createLead: ['agentId', 'name', 'email', 'phone', 'company', 'site', 'custom', 'utm', 'capture'],
  createAgent: ['name', 'description', 'color', 'purpose', 'freedom', 'references', 'instructions'],
  updateAgent: ['name', 'description', 'color', 'purpose', 'freedom', 'references', 'instructions'],
};

/** A random input for a mutation, the same for identical worlds; sometimes of a missing row. */
export const inputsOf: (name: string, random: Random) => (ids: WorldIds) => Input = (name, random) => {
  const chosen = random.some(optional[name] ?? [], 0.4);
  const seeds = chosen.map((key) => ({ key, isNull: random.chance(0.1), seed: random.between(0, 1_000_000) }));
  const missing = random.chance(0.1);
  return (ids) => {
    const input: Input = { ...inputs[name]?.(ids) };
    for (const { key, isNull, seed } of seeds)
      input[key] = isNull ? null : (values[key] ?? text)(new Random(seed), ids);
    if (missing && typeof input.id === 'string') input.id = `${input.id.slice(0, 4)}${'0'.repeat(26)}`;
    return input;
  };
};
