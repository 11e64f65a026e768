// The 23 colors of tags, the 40 of segments, and the 21 colors of stages, which task types, loss reasons, choices of fields and statuses
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

/** The colors of segments, in the order of the interface (Segment palette). */
export const segmentColors = [
  '10599d',
  '2176ff',
  '006acc',
  '07a0c3',
  '247ba0',
  '177e89',
  '046e8f',
  '598381',
  '0c7c59',
  '495f41',
  '00a44b',
  '08605f',
  'bf2600',
  '06d6a0',
  'e14945',
  '79b473',
  'ae003f',
  'a2ad59',
  'cd0f53',
  '8e936d',
  '832161',
  '2e5339',
  'bf126f',
  '6f7c12',
  'ff5376',
  'dd1c1a',
  'bb304e',
  '631d76',
  '9d2b32',
  '4a001f',
  'b118c8',
  '6a0f49',
  '6610f2',
  'b38a58',
  '8963ba',
  '4b3666',
  '932f6d',
  '6b2d5c',
  '6461a0',
  '4f517d',
] as const

type SegmentColor = (typeof segmentColors)[number]
const isSegmentColor = (digits: string): digits is SegmentColor =>
  (segmentColors as readonly string[]).includes(digits)

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
    if (isTagColor(digits) || isSegmentColor(digits)) return words(`names.${digits}`)
    if (!isStageColor(known)) return words('own', { color })
    return words(`names.${digits as DigitsOf<StageColor>}`)
  }
}
