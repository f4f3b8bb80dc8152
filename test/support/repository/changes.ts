import { execFileSync } from 'node:child_process';

/** The files that a change touches, and what they are counted from. */
export type Change = { files: string[]; since: string };

/**
 * The files that differ from where the branch left the main one, in a clone of the main branch itself from the last
 * commit; those that are not committed yet count, too. `base` names another commit to count from.
 */
export function changeOf(folder = '.', base = process.env.CI_BASE): Change {
  const git = (...args: string[]): string | null => {
    try {
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
    } catch {
      return null;
    }
  };
  if (base && !git('rev-parse', '--verify', `${base}^{commit}`)) {
    throw new Error(`CI_BASE is a commit that this clone has, not ${base}`);
  }
  const left = (name: string) => git('merge-base', 'HEAD', name);
  const main = ['origin/HEAD', 'origin/main'].find(left);
  const isAhead = main && left(main) !== git('rev-parse', 'HEAD');
  const named = base || (isAhead ? main : 'HEAD~1');
  // A shallow clone knows neither the last commit nor, of two commits, where they part.
  const since = git('rev-parse', '--verify', `${named}^{commit}`) ? named : 'HEAD';
  // By both names of what was renamed: it is gone from its old area.
  const changed = git('diff', '--name-only', '--no-renames', left(since) || since);
  const added = git('ls-files', '--others', '--exclude-standard');
  const files = [changed, added].flatMap((lines) => lines?.split('\n') ?? []).filter(Boolean);
  return { files, since };
}
