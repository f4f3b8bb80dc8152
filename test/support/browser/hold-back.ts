import type { Page } from 'playwright-core';

/** Holds back the GraphQL requests of a page that contain a text, until they are let go. */
export async function holdBack(page: Page, text: string) {
  const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes(text)) return route.fallback();
    isAsked();
    await go;
    return route.fallback();
  });
  return { asked, letGo };
}
