/** What every part of `src/model` may build on. */
const modelFoundation = ['src/core', 'src/config', 'src/text', 'src/net', 'src/model/types.ts'];

/** The parts of `src/model`, from the lowest to the highest. */
export const modelModules: Record<string, string[]> = {
  'src/model/breaker.ts': [],
  'src/model/types.ts': ['src/config', 'src/model/breaker.ts'],
  'src/model/reply': modelFoundation,
  'src/model/providers': modelFoundation,
  'src/model/capture': modelFoundation,
  'src/model/prompt': [...modelFoundation, 'src/model/reply', 'src/model/capture'],
  'src/model/entailment': [...modelFoundation, 'src/model/reply'],
  'src/model/embedded': [...modelFoundation, 'src/model/reply', 'src/model/capture', 'src/model/prompt'],
  'src/model/embedded.ts': [...modelFoundation, 'src/model/reply', 'src/model/embedded'],
  'src/model/attempts': [...modelFoundation, 'src/model/reply', 'src/model/providers', 'src/model/prompt'],
  'src/model/models.ts': [
    ...modelFoundation,
    'src/model/breaker.ts',
    'src/model/providers',
    'src/model/prompt',
    'src/model/embedded.ts',
  ],
  'src/model/restricted': [
    ...modelFoundation,
    'src/model/reply',
    'src/model/capture',
    'src/model/prompt',
    'src/model/entailment',
    'src/model/embedded',
    'src/model/attempts',
  ],
  'src/model/tasks': [
    ...modelFoundation,
    'src/model/reply',
    'src/model/providers',
    'src/model/capture',
    'src/model/prompt',
    'src/model/attempts',
    'src/model/models.ts',
    'src/model/restricted',
  ],
};
