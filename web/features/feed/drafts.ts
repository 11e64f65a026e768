// Texts that are typed and not sent, for each record and mode; kept in this browser until sign-out.
import { useCallback, useRef, useState } from 'react'
import { keep, readKept } from '../../data/kept.ts'

/** The values of a draft that differ from an empty one. */
type Draft = Record<string, string | number>

const name = 'drafts'
/** The oldest of more is forgotten. */
const most = 50

const all = () => (readKept(name) as Record<string, Draft> | undefined) ?? {}

/** The draft kept under `key` and how to change it; an empty one is forgotten. */
export function useDraft(key: string): [Draft, (change: Draft) => void, () => void] {
  const [state, setState] = useState<{ key: string; draft: Draft }>(() => ({
    key,
    draft: all()[key] ?? {},
  }))
  // Another record or mode in the same place has a draft of its own.
  const present = state.key === key ? state : { key, draft: all()[key] ?? {} }
  if (present !== state) setState(present)
  const latest = useRef(present)
  latest.current = present
  const put = useCallback(
    (draft: Draft) => {
      const filled = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''))
      latest.current = { key, draft: filled }
      setState(latest.current)
      const { [key]: _, ...others } = all()
      const kept = Object.entries(others).slice(1 - most)
      const isEmpty = Object.keys(filled).length === 0
      keep(name, Object.fromEntries([...kept, ...(isEmpty ? [] : [[key, filled] as const])]))
    },
    [key],
  )
  const change = useCallback(
    (some: Draft) => {
      const base = latest.current.key === key ? latest.current.draft : (all()[key] ?? {})
      put({ ...base, ...some })
    },
    [key, put],
  )
  const clear = useCallback(() => put({}), [put])
  return [present.draft, change, clear]
}
