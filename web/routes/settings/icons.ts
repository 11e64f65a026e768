// The icons of the pages of settings. They come with the list of settings, not with the first page.
import {
  CircleX,
  IdCard,
  KeyRound,
  ListTodo,
  MessagesSquare,
  Puzzle,
  ShieldCheck,
  SlidersHorizontal,
  SquareKanban,
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
  users: User,
  groups: Users,
  roles: IdCard,
  pipelines: SquareKanban,
  'loss-reasons': CircleX,
  'task-types': ListTodo,
  integrations: Puzzle,
  webhooks: Webhook,
  'api-keys': KeyRound,
  channels: MessagesSquare,
}
