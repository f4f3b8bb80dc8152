/** The UTM parameters of the page's URL. */
export function utmOf(search: string): Record<string, string> | undefined {
  const given = new URLSearchParams(search);
  const known = ['source', 'medium', 'campaign', 'content', 'term'].flatMap((name) => {
    const value = given.get(`utm_${name}`)?.slice(0, 500);
    return value ? [[name, value]] : [];
  });
  return known.length > 0 ? (Object.fromEntries(known) as Record<string, string>) : undefined;
}
