// The files that a page asks for once its first script runs: its screen, its texts and its letters.
// Named in the head of the page, they come together with that script.

/** The part of Vite's manifest that is read: the sources by their path below web/. */
export type Manifest = Record<
  string,
  { file: string; imports?: string[]; css?: string[]; isEntry?: boolean }
>

const listWords = ['words/cards/:language.ts', 'words/lists/:language.ts']
const settings = ['routes/settings/settings.tsx', 'words/settings/:language.ts']

/**
 * The sources of the screen at each address of the application; `:page` stands for its value, and
 * `:language` for that of the user.
 */
const screens: Record<string, string[]> = {
  '/home': ['routes/home.tsx'],
  '/events': ['routes/events.tsx', ...listWords],
  '/products': ['routes/products.tsx', ...listWords],
  '/products/:catalog': ['routes/products.tsx', ...listWords],
  '/notifications': ['routes/notifications.tsx'],
  '/leads': ['routes/board.tsx'],
  '/leads/p/:pipeline': ['routes/board.tsx'],
  '/leads/list': ['routes/list.tsx', ...listWords],
  '/contacts': ['routes/list.tsx', ...listWords],
  '/companies': ['routes/list.tsx', ...listWords],
  '/customers': ['routes/list.tsx', ...listWords],
  '/bin': ['routes/list.tsx', ...listWords],
  '/bin/:type': ['routes/list.tsx', ...listWords],
  '/customers/board': ['routes/customers-board.tsx', ...listWords],
  '/leads/:id': ['routes/card.tsx', 'words/cards/:language.ts'],
  '/contacts/:id': ['routes/card.tsx', 'words/cards/:language.ts'],
  '/companies/:id': ['routes/card.tsx', 'words/cards/:language.ts'],
  '/customers/:id': ['routes/card.tsx', 'words/cards/:language.ts'],
  '/settings': settings,
  '/settings/:page': [...settings, 'routes/settings/:page.tsx'],
  '/settings/:page/:id': settings,
}

/** All addresses of the application; its router knows the screens behind them (web/router.tsx). */
export const addresses = ['/', ...Object.keys(screens)]

/** The address of the screen that `/` leads to for a user with this start page. */
export function addressOfStart(startPage: string): string {
  const [path = ''] = startPage.split('?')
  return path.startsWith('/leads/p/') ? '/leads/p/:pipeline' : path
}

const fonts = '../node_modules/@fontsource-variable/inter/files/inter'

/**
 * Makes the function that answers the links of a page in `language` at an address (with the value of
 * its `:page`), as HTML.
 */
export function linksMaker(manifest: Manifest) {
  /** The files of sources with all that they import, without those of the first script. */
  const filesOf = (sources: string[]) => {
    const first = closure(manifest, ['index.html'])
    const names = [...closure(manifest, sources)].filter((name) => !first.has(name))
    return {
      scripts: names.map((name) => manifest[name]!.file),
      styles: [...new Set(names.flatMap((name) => manifest[name]!.css ?? []))],
    }
  }

  return ({ language, address, page }: { language: string; address: string; page?: string }) => {
    const screen = screens[address] ?? []
    const sources = [
      `words/${language}.ts`,
      ...screen.map((each) => each.replace(':page', page ?? '').replace(':language', language)),
    ]
    const { scripts, styles } = filesOf(sources)
    const letters = language === 'ru' ? ['latin', 'cyrillic'] : ['latin']
    const files = letters.flatMap(
      (each) => manifest[`${fonts}-${each}-wght-normal.woff2`]?.file ?? [],
    )
    return [
      ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
      ...styles.map((file) => `<link rel="preload" as="style" crossorigin href="/${file}">`),
      ...files.map(
        (file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`,
      ),
    ].join('')
  }
}

/** Sources with all that they import; a source that is not in the manifest is left out. */
function closure(manifest: Manifest, sources: string[], seen = new Set<string>()): Set<string> {
  for (const source of sources) {
    const chunk = manifest[source]
    if (!chunk || seen.has(source)) continue
    seen.add(source)
    closure(manifest, chunk.imports ?? [], seen)
  }
  return seen
}
