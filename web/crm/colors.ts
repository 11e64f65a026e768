// The 23 colors of tags, and the 21 colors of stages, which task types, loss reasons, choices of fields and statuses
// of customers share: text is readable on them in both themes.
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

/** The colors that tags of leads may have, in the order of the interface (Tag). */
export const tagColors = [
  'EBEBEB',
  'D0D0D0',
  'F2DDF7',
  'D1A4DC',
  'FF8F92',
  'FFC8C8',
  'C7DB8C',
  'DDEBB5',
  '8699DA',
  'AABDFF',
  'FFCE5A',
  'FFE193',
  '90CDB0',
  'C6F4DE',
  'A9A5D7',
  'D8D5FF',
  '86C0FC',
  '832161',
  '6A0F49',
  '0C7C59',
  '10599D',
  '9D2B32',
  '247BA0',
] as const

type TagColor = Lowercase<(typeof tagColors)[number]>
const isTagColor = (digits: string): digits is TagColor =>
  tagColors.some((each) => each.toLowerCase() === digits)

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
    const digits = known.slice(1)
    if (isTagColor(digits)) return words(`names.${digits}`)
    if (!isStageColor(known)) return words('own', { color })
    return words(`names.${digits as DigitsOf<StageColor>}`)
  }
}
