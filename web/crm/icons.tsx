// What types of tasks and loss reasons look like: an icon on a colour. The server keeps the number of an icon,
// so a number stays what it is; one that is not in the list is drawn as none.
import { Suspense, lazy } from 'react'
import { part } from '../data/rest.ts'
import styles from './icons.module.css'

const DrawnIcon = lazy(
  part('icons', async () => ({ default: (await import('./drawn-icons.tsx')).DrawnIcon })),
)

/** What can be drawn. `code` is that of a predefined type of tasks. */
export interface Drawable {
  color: string | null
  icon_id: number | null
  code?: string | null
}

const hasIcon = ({ icon_id, code }: Drawable): boolean => icon_id !== null || Boolean(code)

/** Whether there is anything to draw. */
export const isDrawn = (thing: Drawable): boolean => thing.color !== null || hasIcon(thing)

/** An icon on its colour; of equal size whatever is missing. A name stands beside it. */
export function Drawing({ of }: { of: Drawable }) {
  const { color, icon_id, code } = of
  return (
    <span
      className={styles.drawing}
      data-colored={color !== null || undefined}
      style={color === null ? undefined : { background: `#${color}`, color: inkOn(color) }}
      aria-hidden
    >
      {hasIcon(of) && (
        <Suspense>
          <DrawnIcon id={icon_id} code={code} />
        </Suspense>
      )}
    </span>
  )
}

/** The parts of a Select that show the drawing of each of these things beside its name. */
export function drawnOptions(
  things: readonly (Drawable & { id: number })[],
  value: string | null | undefined,
) {
  const find = (id: string | null | undefined) => things.find((each) => String(each.id) === id)
  const chosen = find(value)
  return {
    leftSection: chosen && isDrawn(chosen) ? <Drawing of={chosen} /> : undefined,
    renderOption: ({ option }: { option: { value: string; label: string } }) => {
      const thing = find(option.value)
      return (
        <span className={styles.option}>
          {thing && <Drawing of={thing} />}
          <span>{option.label}</span>
        </span>
      )
    },
  }
}

/** Loss reasons as choices of a picker, each with its drawing where one of them has any. */
export function reasonChoices(reasons: readonly (Drawable & { id: number; name: string })[]) {
  const isAnyDrawn = reasons.some(isDrawn)
  return reasons.map((reason) => ({
    key: String(reason.id),
    text: reason.name,
    ...(isAnyDrawn && { mark: <Drawing of={reason} /> }),
  }))
}

/** The colour of text, dark or light, that is read better on a colour of six hexadecimal digits. */
export function inkOn(color: string): string {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  // Where black and white have the same contrast (WCAG 2.2, relative luminance).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? 'var(--on-stage)' : 'white'
}
