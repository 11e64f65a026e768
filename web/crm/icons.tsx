// What types of tasks and loss reasons look like: an icon on a colour. The server keeps the number of an icon,
// so a number stays what it is; one that is not in the list is drawn as none.
import {
  Ban,
  Bell,
  Calendar,
  Car,
  Clock,
  CreditCard,
  FileText,
  Flag,
  Gift,
  Hourglass,
  Mail,
  MapPin,
  MessageCircle,
  Package,
  Phone,
  ShoppingCart,
  Star,
  ThumbsDown,
  TrendingDown,
  Truck,
  UserX,
  Users,
  Video,
  Wrench,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import styles from './icons.module.css'

export const drawnIcons = {
  1: { name: 'phone', Icon: Phone },
  2: { name: 'people', Icon: Users },
  3: { name: 'mail', Icon: Mail },
  4: { name: 'message', Icon: MessageCircle },
  5: { name: 'video', Icon: Video },
  6: { name: 'place', Icon: MapPin },
  7: { name: 'car', Icon: Car },
  8: { name: 'truck', Icon: Truck },
  9: { name: 'package', Icon: Package },
  10: { name: 'cart', Icon: ShoppingCart },
  11: { name: 'card', Icon: CreditCard },
  12: { name: 'document', Icon: FileText },
  13: { name: 'calendar', Icon: Calendar },
  14: { name: 'clock', Icon: Clock },
  15: { name: 'bell', Icon: Bell },
  16: { name: 'tool', Icon: Wrench },
  17: { name: 'gift', Icon: Gift },
  18: { name: 'star', Icon: Star },
  19: { name: 'flag', Icon: Flag },
  20: { name: 'thumb', Icon: ThumbsDown },
  21: { name: 'gone', Icon: UserX },
  22: { name: 'ban', Icon: Ban },
  23: { name: 'hourglass', Icon: Hourglass },
  24: { name: 'decline', Icon: TrendingDown },
} as const satisfies Record<number, { name: string; Icon: LucideIcon }>

export type IconNumber = keyof typeof drawnIcons

/** What can be drawn. `code` is that of a predefined type of tasks. */
export interface Drawable {
  color: string | null
  icon_id: number | null
  code?: string | null
}

const ofCode: Record<string, LucideIcon> = { FOLLOW_UP: Phone, MEETING: Users }

const iconOf = ({ icon_id, code }: Drawable): LucideIcon | undefined =>
  icon_id !== null && Object.hasOwn(drawnIcons, icon_id)
    ? drawnIcons[icon_id as IconNumber].Icon
    : ofCode[code ?? '']

/** Whether there is anything to draw. */
export const isDrawn = (thing: Drawable): boolean =>
  thing.color !== null || iconOf(thing) !== undefined

/** An icon on its colour; of equal size whatever is missing. A name stands beside it. */
export function Drawing({ of }: { of: Drawable }) {
  const Icon = iconOf(of)
  const { color } = of
  return (
    <span
      className={styles.drawing}
      data-colored={color !== null || undefined}
      style={color === null ? undefined : { background: `#${color}`, color: inkOn(color) }}
      aria-hidden
    >
      {Icon && <Icon size={13} />}
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
