import robotsModule from 'robots-parser';

type RobotsQuestion = { text: string; robotsUrl: string; agent: string; url: string };
/** Whether a page may be read, the crawl delay in milliseconds, if any, and the URLs of sitemaps. */
export type Robots = { allowed: boolean; delayMs: number | null; sitemaps: string[] };

// The package's types describe another module format than it has.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/**
 * Evaluates a robots.txt for a page. Long lines are dropped and runs of stars collapsed: no site needs them, and
 * matching them is slow.
 */
export function readRobots({ text, robotsUrl, agent, url }: RobotsQuestion): Robots {
  const lines = text
    .slice(0, 512_000)
    .split(/\r\n?|\n/)
    .filter((line) => line.length <= 2_100);
  const robots = robotsParser(robotsUrl, lines.join('\n').replaceAll(/\*{2,}/g, '*'));
  const delay = robots.getCrawlDelay(agent);
  return {
    allowed: robots.isAllowed(url, agent) ?? true,
    delayMs: typeof delay === 'number' && delay >= 0 ? delay * 1_000 : null,
    sitemaps: robots.getSitemaps(),
  };
}
