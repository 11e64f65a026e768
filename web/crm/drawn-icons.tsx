// The icons of types of tasks and loss reasons by their numbers, which never change. They come when one is drawn.
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

const ofCode: Record<string, LucideIcon> = { FOLLOW_UP: Phone, MEETING: Users }

/** An icon by its number, or that of a predefined type of tasks; nothing for a number that is not in the list. */
export function DrawnIcon({ id, code }: { id: number | null; code: string | null | undefined }) {
  const Icon =
    id !== null && Object.hasOwn(drawnIcons, id)
      ? drawnIcons[id as IconNumber].Icon
      : ofCode[code ?? '']
  return Icon && <Icon size={13} />
}
