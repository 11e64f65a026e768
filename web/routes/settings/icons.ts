// The icons of the pages of settings. They come with the list of settings, not with the first page.
import {
  Building2,
  CircleX,
  IdCard,
  KeyRound,
  ListTodo,
  MessageSquareText,
  MessagesSquare,
  Puzzle,
  Repeat,
  ShieldCheck,
  SlidersHorizontal,
  SquareKanban,
  SquarePen,
  Tags,
  User,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { SettingsPage } from './pages.ts'

export const pageIcons: Record<SettingsPage['path'], LucideIcon> = {
  profile: UserRound,
  preferences: SlidersHorizontal,
  security: ShieldCheck,
  general: Building2,
  users: User,
  groups: Users,
  roles: IdCard,
  pipelines: SquareKanban,
  'loss-reasons': CircleX,
  'task-types': ListTodo,
  templates: MessageSquareText,
  customers: Repeat,
  fields: SquarePen,
  tags: Tags,
  integrations: Puzzle,
  webhooks: Webhook,
  'api-keys': KeyRound,
  channels: MessagesSquare,
}
