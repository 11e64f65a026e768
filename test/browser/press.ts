import type { Page } from 'playwright-core'

const russian: Record<string, string> = {
  ...Object.fromEntries(
    'abcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((each, at) => [each, 'фисвуапршолдьтщзйкыегмцчня'[at]!]),
  ),
  '#': '№',
  '/': '.',
  '?': ',',
  '[': 'х',
  ']': 'ъ',
}
const codes: Record<string, string> = {
  '#': 'Digit3',
  '/': 'Slash',
  '?': 'Slash',
  '[': 'BracketLeft',
  ']': 'BracketRight',
}

const codeOf = (key: string): string => {
  if (/^[a-z]$/.test(key)) return `Key${key.toUpperCase()}`
  return codes[key] ?? (/^\d$/.test(key) ? `Digit${key}` : key)
}

/** Presses keys one after the other, as a Latin or a Russian keyboard sends them: `1 shift+x`. */
export async function press(page: Page, keys: string, isRussian: boolean): Promise<void> {
  for (const each of keys.split(' ')) {
    const [key, ...modifiers] = each.split('+').toReversed() as [string, ...string[]]
    const event = {
      key: isRussian ? (russian[key] ?? key) : key,
      code: codeOf(key),
      shiftKey: modifiers.includes('shift') || ['#', '?'].includes(key),
      ctrlKey: modifiers.includes('mod'),
      altKey: modifiers.includes('alt'),
      bubbles: true,
      cancelable: true,
    }
    await page.evaluate(
      `(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify(event)}))`,
    )
  }
}
