const dayMs = 86_400_000;

/** The shop's campaigns: between how many days ago each ran, and the UTM parameters of its links. */
const campaigns = [
  { from: 180, to: 110, utm: { source: 'instagram', medium: 'social', campaign: 'first-hike' } },
  { from: 140, to: 60, utm: { source: 'google', medium: 'cpc', campaign: 'winter-tents' } },
  { from: 80, to: 0, utm: { source: 'newsletter', medium: 'email', campaign: 'october-hikes' } },
  { from: 35, to: 0, utm: { source: 'google', medium: 'cpc', campaign: 'black-friday' } },
];

/** Picks a campaign that ran at the time, or null for the third of visitors who came directly. */
export function campaignAt(time: number, now: Date, chance: number): Record<string, string> | null {
  const ago = (now.getTime() - time) / dayMs;
  const running = campaigns.filter(({ from, to }) => ago <= from && ago >= to);
  return running[Math.floor(chance * running.length * 1.5)]?.utm ?? null;
}
