// Presence: who else has the card open, and in which field. Each tab tells the server, which passes it
// on and keeps nothing, so tabs repeat it and forget those that they do not hear of any more.
import type { RecordType } from '../../../server/records/description.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ask } from '../../data/api.ts'
import { onNews } from '../../data/live.ts'
import { isLeaving } from '../../data/tabs.ts'
import { newKey } from '../../data/writes.ts'

export interface Other {
  tab: string
  userId: number
  /** The member that the user edits there. */
  field: string | null
}

const [repeatMs, forgetMs] = [20_000, 45_000]
/** Names this tab among those of the user. */
const ownTab = newKey().slice(0, 16)

interface Heard {
  entity_type: string
  entity_id: number
  tab: string
  user_id: number
  field: string | null
  is_here: boolean
}

/** The others at a card, each once, and a function that tells them what the user edits. */
export function usePresence(
  type: RecordType,
  id: number,
  me: number,
  isOn: boolean,
): { others: readonly Other[]; edit: (field: string | null) => void } {
  const [others, setOthers] = useState<readonly (Other & { at: number })[]>([])
  const field = useRef<string | null>(null)
  const announce = useCallback(
    (is_here: boolean) => {
      const body = {
        entity_type: type,
        entity_id: id,
        tab: ownTab,
        field: field.current,
        is_here,
      }
      // Others miss it, which costs them an avatar.
      void ask('/web/v1/presence', { method: 'POST', body }).catch(() => undefined)
    },
    [type, id],
  )
  useEffect(() => {
    setOthers([])
    if (!isOn) return undefined
    field.current = null
    const known = new Set<string>()
    announce(true)
    const repeat = setInterval(() => {
      announce(true)
      setOthers((now) => now.filter(({ at }) => at > Date.now() - forgetMs))
    }, repeatMs)
    const unlisten = onNews(({ name, data }) => {
      if (name !== 'presence') return
      const heard = data as unknown as Heard
      if (heard.entity_type !== type || heard.entity_id !== id || heard.tab === ownTab) return
      if (heard.is_here && !known.has(heard.tab)) {
        known.add(heard.tab)
        announce(true)
      }
      if (!heard.is_here) known.delete(heard.tab)
      if (heard.user_id === me) return
      const other = {
        tab: heard.tab,
        userId: heard.user_id,
        field: heard.field,
        at: Date.now(),
      }
      setOthers((now) => [
        ...now.filter(({ tab }) => tab !== heard.tab),
        ...(heard.is_here ? [other] : []),
      ])
    })
    const leave = () => {
      if (!isLeaving()) announce(false)
    }
    addEventListener('pagehide', leave)
    return () => {
      clearInterval(repeat)
      unlisten()
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [type, id, me, isOn, announce])
  const edit = useCallback(
    (next: string | null) => {
      if (!isOn || field.current === next) return
      field.current = next
      announce(true)
    },
    [isOn, announce],
  )
  return { others, edit }
}
