type Theme = 'auto' | 'light' | 'dark';
export type Settings = {
  channel: string | null;
  /** The address of the gateway, with a slash at its end. */
  base: string;
  /** The language of the texts, dates and times, such as `pt-BR`: one with texts. */
  language: string;
  /** The page's own welcome, in place of the agent's; null if it has none. */
  welcome: string | null;
  theme(): Theme;
};

/** Reads the settings of the tag that loaded the script; see docs/widget.md. */
export function readSettings(tag: HTMLScriptElement): Settings {
  const { language, welcome } = tag.dataset;
  return {
    channel: new URL(tag.src).searchParams.get('channel'),
    base: new URL('.', tag.src).href,
    language: knownLanguage(language, document.documentElement.lang, navigator.language),
    welcome: welcome?.trim() || null,
    theme: () => (tag.dataset.theme === 'light' || tag.dataset.theme === 'dark' ? tag.dataset.theme : 'auto'),
  };
}

/** The first that is a well-formed language tag, since `Intl` throws on others; English if it is one without texts. */
function knownLanguage(...given: (string | undefined)[]): string {
  for (const language of given) {
    try {
      const [known] = Intl.getCanonicalLocales(language || []);
      if (known) return known.match(/^(en|pt|es)\b.*/)?.[0] ?? 'en';
    } catch {
      // Such as `en_US`: the next one is used.
    }
  }
  return 'en';
}
