import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Image } from './dockerfile.ts';

/** How to isolate an image here: by a read-only root, by file ownership, or not at all. */
export type Isolation = 'mounts' | 'ownership' | 'none';

const isRoot = process.getuid?.() === 0;
const mayMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
export const isolation: Isolation = !isRoot ? 'none' : mayMount ? 'mounts' : 'ownership';

/** Where this process's Node binary is mounted, in place of the base image's. */
const nodeFolder = '/opt/node';

/** Enters $1 as a read-only root, with the system, Node in $2 and a /tmp; runs $4… there as user $3. */
const enter = `
root=$1; node=$2; user=$3; shift 3
mount --bind "$root" "$root"
for name in usr bin sbin lib lib64 etc; do
  if [ -L /$name ]; then ln -sfn "$(readlink /$name)" "$root/$name"
  elif [ -d /$name ]; then mkdir -p "$root/$name"; mount --rbind /$name "$root/$name"; mount -o remount,bind,ro "$root/$name"; fi
done
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root${nodeFolder}" "$root/data"
mount --rbind /proc "$root/proc"; mount --rbind /dev "$root/dev"
mount --bind "$node" "$root${nodeFolder}"; mount -o remount,bind,ro "$root${nodeFolder}"
mount -t tmpfs none "$root/tmp"; chmod 1777 "$root/tmp"
mount --bind "$root/data" "$root/data"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" --groups= "$root" "$@"
`;

/** Runs a command of an image as its user, in its folder, with only the given environment. */
export function runIn(image: Image, command: string[], env: Record<string, string>): ChildProcess {
  const { root, user, workdir } = image;
  const node = path.dirname(process.execPath);
  if (isolation === 'mounts') {
    const own = { ...image.env, ...env, PATH: `${nodeFolder}:/usr/bin:/bin` };
    const settings = Object.entries(own).map(([name, value]) => `${name}=${value}`);
    const inside = ['/usr/bin/env', '-i', '-C', workdir, ...settings, ...command];
    const args = ['--mount', 'sh', '-euc', enter, 'sh', root, node, user, ...inside];
    return spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  }
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  const onHost = Object.fromEntries(
    Object.entries(image.env).map(([name, value]) => [name, image.volumes.includes(value) ? root + value : value]),
  );
  const [program = '', ...args] = command;
  const cwd = path.join(root, workdir);
  const settings = { ...onHost, ...env, PATH: `${node}:/usr/bin:/bin` };
  return spawn(program, args, { cwd, uid, gid, env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
}
