import robotsModule from 'robots-parser';

export type RobotsQuestion = { text: string; robotsUrl: string; agent: string; url: string };
/** Whether a page may be read; how long to wait between pages, in milliseconds, where it says; where its sitemaps are. */
export type Robots = { allowed: boolean; delayMs: number | null; sitemaps: string[] };

// Its types describe another kind of module than it is.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

/** What a robots.txt says of a page. Long lines and runs of stars, which no site needs, would take long to match. */
export function readRobots({ text, robotsUrl, agent, url }: RobotsQuestion): Robots {
  const lines = text
    .slice(0, 500_000)
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
