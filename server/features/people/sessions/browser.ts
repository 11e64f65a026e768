// A few words by which a person recognises a browser among the own sessions. Programs cannot rely on
// them: browsers say what they like.

/** Names by what stands in the header; the first that fits wins, because most say they are others. */
const browsers: readonly [RegExp, string][] = [
  [/\b(?:Edg|EdgA|EdgiOS|Edge)\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\b/, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const longest = 60

/** "Firefox on Linux" of a User-Agent header, or the program it begins with; null without one. */
export function browserOf(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, 1000) ?? ''
  const browser = browsers.find(([pattern]) => pattern.test(text))?.[1]
  const system = systems.find(([pattern]) => pattern.test(text))?.[1]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const [program = ''] = /^[\w.-]+/.exec(text) ?? []
  return program === '' ? null : program.slice(0, longest)
}
