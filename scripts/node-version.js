/**
 * Exits with a message if Node is too old for the gateway. Preloaded by the scripts of package.json, and plain
 * JavaScript so that any version can run it.
 */
const oldest = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `Parley needs Node ${oldest.join('.')} or newer, and this is ${process.versions.node}: run \`npm ci\`, which brings one unless it is told to ignore scripts.\n`,
  );
  process.exit(1);
}
