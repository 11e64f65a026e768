// The chats that can be written to from a record: those of the record and of its contacts.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { InboxChat } from '../../../server/features/conversations/chats/inbox/schema.ts'
import type {
  ChatOpening,
  StartedChat,
} from '../../../server/features/conversations/messages/outgoing/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { ask, askList } from '../../data/api.ts'

export type Chat = Static<typeof InboxChat>

/** A contact of the record, to write to. */
export interface ChatContact {
  id: number
  name: string
  first_name?: string
}

export interface Writable {
  /** The chat with the latest message first. */
  chats: Chat[]
  people: ChatContact[]
  /** The channels and contacts with which a chat may begin. */
  openings: ChatOpening[]
}

/** The most contacts of a record whose chats are offered. */
const mostContacts = 10

export const writableQuery = (type: RecordType, id: number) =>
  queryOptions({
    // Not of the noun `chats`: each message of the account would ask for it anew.
    queryKey: ['recipients', type, id],
    staleTime: 20_000,
    queryFn: async ({ signal }): Promise<Writable> => {
      const people = await peopleOf(type, id, signal)
      const paths = [
        ...people.map((person) => `filter[contact_id]=${person.id}`),
        ...(type === 'leads' || type === 'customers'
          ? [`filter[entity_type]=${type}&filter[entity_id]=${id}`]
          : []),
      ]
      const [openings, ...found] = await Promise.all([
        openingsOf(people, signal),
        ...paths.map((filter) =>
          askList<Chat>(`/web/v1/chats?tab=all&order=newest&limit=20&${filter}`, 'chats', {
            signal,
          }),
        ),
      ])
      const chats = [...new Map(found.flat().map((chat) => [chat.id, chat])).values()]
      return {
        chats: chats.toSorted((one, other) => other.last_at - one.last_at),
        people,
        openings,
      }
    },
  })

const openingsOf = async (
  people: readonly ChatContact[],
  signal: AbortSignal,
): Promise<ChatOpening[]> =>
  people.length === 0
    ? []
    : askList<ChatOpening>(
        `/web/v1/chats/openings?contacts=${people.map(({ id }) => id).join(',')}`,
        'openings',
        { signal },
      )

async function peopleOf(type: RecordType, id: number, signal: AbortSignal): Promise<ChatContact[]> {
  const ids = type === 'contacts' ? [id] : await contactsOf(type, id, signal)
  if (ids.length === 0) return []
  const named = ids.map((each) => `filter[id][]=${each}`).join('&')
  const contacts = await askList<ChatContact>(`/api/v4/contacts?${named}`, 'contacts', {
    signal,
  })
  return contacts
    .map(({ id: own, name, first_name = '' }) => ({ id: own, name, first_name }))
    .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
}

async function contactsOf(type: RecordType, id: number, signal: AbortSignal): Promise<number[]> {
  const record = await ask<{
    _embedded?: { contacts?: { id: number; is_main?: boolean }[] }
  }>(`/api/v4/${type}/${id}?with=contacts`, { signal })
  const contacts = record._embedded?.contacts ?? []
  return contacts
    .toSorted((one, other) => Number(other.is_main ?? false) - Number(one.is_main ?? false))
    .slice(0, mostContacts)
    .map((contact) => contact.id)
}

/** Begins a chat with a contact, or answers the one that there is. */
export const startChat = (channelId: string, contactId: number) =>
  ask<Static<typeof StartedChat>>('/web/v1/chats', {
    method: 'POST',
    body: { channel_id: channelId, contact_id: contactId },
  })
