import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** An image as a folder: the files that its instructions add to the base image, and its configuration. */
export type Image = {
  root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
  volumes: string[];
  command: string[];
  healthCheck: string[];
};
type Options = {
  /** Where to build the stages, each in its own folder. */
  folder: string;
  /** The build context, subject to its .dockerignore. */
  context: string;
  /** The environment for RUN. */
  env: NodeJS.ProcessEnv;
};

/** Executes a Dockerfile in folders; this machine takes the place of the base image. */
export function buildImage(dockerfile: string, { folder, context, env }: Options): Image {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const [keyword, rest] of instructionsOf(dockerfile)) {
    if (keyword === 'FROM') {
      const name = / AS (\S+)$/i.exec(rest)?.[1] ?? `stage-${stages.size}`;
      image = stageIn(path.join(folder, name));
      stages.set(name, image);
      continue;
    }
    if (!image) throw new Error(`${keyword} stands before FROM.`);
    apply(image, keyword, rest, { stages, context, env });
  }
  if (!image) throw new Error('There is no FROM.');
  return image;
}

/** The keyword and arguments of each instruction, with continued lines joined. */
export function instructionsOf(dockerfile: string): [string, string][] {
  return dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const [, keyword = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return [keyword.toUpperCase(), rest];
    });
}

/** Whether COPY includes a file. A pattern is a path, or, after two stars and a slash, a name at any depth. */
function unignored(context: string): (source: string) => boolean {
  const patterns = readFileSync(path.join(context, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const names = new Set(patterns.filter((line) => line.startsWith('**/')).map((line) => line.slice(3)));
  return (source) => {
    const file = path.relative(context, source);
    return !patterns.includes(file) && !file.split(path.sep).some((name) => names.has(name));
  };
}

function stageIn(root: string): Image {
  mkdirSync(root, { recursive: true });
  return { root, workdir: '/', user: '0:0', env: {}, volumes: [], command: [], healthCheck: [] };
}

type Surroundings = Pick<Options, 'context' | 'env'> & { stages: Map<string, Image> };

function apply(image: Image, keyword: string, rest: string, { stages, context, env }: Surroundings): void {
  const inImage = (name: string) => path.join(image.root, path.posix.resolve(image.workdir, name));
  const actions: Record<string, () => void> = {
    WORKDIR: () => {
      image.workdir = path.posix.resolve(image.workdir, rest);
      mkdirSync(inImage('.'), { recursive: true });
    },
    COPY: () => {
      const [from = '', to = ''] = rest.split(' ').filter((word) => !word.startsWith('--'));
      const stage = stages.get(/--from=(\S+)/.exec(rest)?.[1] ?? '');
      const source = stage ? path.join(stage.root, from) : path.join(context, from);
      const filter = stage ? undefined : unignored(context);
      cpSync(source, inImage(to), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter });
      const owner = /--chown=(\S+)/.exec(rest)?.[1];
      if (owner) execFileSync('chown', ['-R', owner, inImage(to)]);
    },
    RUN: () => {
      const [uid, gid] = process.getuid?.() === 0 ? image.user.split(':').map(Number) : [];
      const options = { cwd: inImage('.'), env: { ...env, ...image.env }, uid, gid };
      execFileSync('sh', ['-euc', rest], { ...options, stdio: 'pipe' });
    },
    ENV: () => Object.assign(image.env, Object.fromEntries(rest.split(' ').map((pair) => pair.split('=')))),
    USER: () => void (image.user = rest),
    VOLUME: () => void image.volumes.push(rest),
    EXPOSE: () => {},
    HEALTHCHECK: () => void (image.healthCheck = JSON.parse(/CMD (\[.*\])$/.exec(rest)?.[1] ?? '')),
    CMD: () => void (image.command = JSON.parse(rest)),
  };
  const action = actions[keyword];
  if (!action) throw new Error(`${keyword} is not followed here: add it to test/support/repository/dockerfile.ts.`);
  action();
}
