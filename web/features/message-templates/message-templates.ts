import type {
  ChatTemplateChange,
  NewChatTemplate,
} from '../../../server/features/conversations/chats/templates/schema.ts'
import type { Template } from '../../crm/templates.ts'
import { ask } from '../../data/api.ts'

const path = '/web/v1/chat-templates'

export const addTemplate = (draft: NewChatTemplate): Promise<Template> =>
  ask(path, { method: 'POST', body: draft })

export const rewriteTemplate = (id: number, change: ChatTemplateChange): Promise<Template> =>
  ask(`${path}/${id}`, { method: 'PATCH', body: change })

export const placeTemplate = (id: number, before: number | null): Promise<void> =>
  ask(`${path}/${id}/move`, { method: 'POST', body: { before } })

export const dropTemplate = (id: number): Promise<void> =>
  ask(`${path}/${id}`, { method: 'DELETE' })
