import {
  AlignLeft,
  Banknote,
  Cake,
  Calendar,
  CalendarClock,
  CircleDot,
  CircleChevronDown,
  Hash,
  Landmark,
  Link,
  ListChecks,
  ListTree,
  MapPin,
  MapPinned,
  Paperclip,
  Phone,
  Radar,
  SquareCheck,
  Type,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'

/** The types that fields of records and segments have, in the order in which they are offered. */
export const namedTypes = [
  'text',
  'textarea',
  'numeric',
  'monetary',
  'select',
  'multiselect',
  'radiobutton',
  'checkbox',
  'date',
  'date_time',
  'birthday',
  'url',
  'file',
  'streetaddress',
  'smart_address',
  'legal_entity',
  'chained_list',
  'tracking_data',
  'multitext',
] as const
export type NamedType = (typeof namedTypes)[number]

export const typeIcons: Record<NamedType, LucideIcon> = {
  text: Type,
  textarea: AlignLeft,
  numeric: Hash,
  monetary: Banknote,
  select: CircleChevronDown,
  multiselect: ListChecks,
  radiobutton: CircleDot,
  checkbox: SquareCheck,
  date: Calendar,
  date_time: CalendarClock,
  birthday: Cake,
  url: Link,
  file: Paperclip,
  streetaddress: MapPin,
  smart_address: MapPinned,
  legal_entity: Landmark,
  chained_list: ListTree,
  tracking_data: Radar,
  multitext: Phone,
}

/** Fields of catalogs have other types, which these pages do not show. */
export const namedType = (type: string): NamedType =>
  namedTypes.find((name) => name === type) ?? 'text'
