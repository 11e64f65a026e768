// The 21 colors of stages, which task types, loss reasons, choices of fields and statuses of customers share: text
// is readable on them in both themes.
import { useTranslations } from 'use-intl'

/** In the order of the interface (Status). */
export const stageColors = [
  '#fffeb2',
  '#fffd7f',
  '#fff000',
  '#ffeab2',
  '#ffdc7f',
  '#ffce5a',
  '#ffdbdb',
  '#ffc8c8',
  '#ff8f92',
  '#d6eaff',
  '#c1e0ff',
  '#98cbff',
  '#ebffb1',
  '#deff81',
  '#87f2c0',
  '#f9deff',
  '#f3beff',
  '#ccc8f9',
  '#eb93ff',
  '#f2f3f4',
  '#e6e8ea',
] as const

type StageColor = (typeof stageColors)[number]
type DigitsOf<Color> = Color extends `#${infer Digits}` ? Digits : never

export const isStageColor = (color: string): color is StageColor =>
  (stageColors as readonly string[]).includes(color)

/** Names colors in the language of the user: `#rrggbb` in any case, null for none. */
export function useColorNames(): (color: string | null) => string {
  const words = useTranslations('colors')
  return (color) => {
    if (color === null) return words('none')
    const known = color.toLowerCase()
    if (!isStageColor(known)) return words('own', { color })
    return words(`names.${known.slice(1) as DigitsOf<StageColor>}`)
  }
}
