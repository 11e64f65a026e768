// Texts that are typed and not sent, for each record and mode; kept in this browser until sign-out.
import { useCallback, useRef, useState } from 'react'
import { keptCollection } from '../../data/kept-entries.ts'

/** The values of a draft that differ from an empty one. */
type Draft = Record<string, string | number>

const drafts = keptCollection<Draft>('drafts', { most: 50 }, (former) =>
  Object.entries(former as Record<string, Draft>),
)

/** The draft kept under `key` and how to change it; an empty one is forgotten. */
export function useDraft(key: string): [Draft, (change: Draft) => void, () => void] {
  const [state, setState] = useState<{ key: string; draft: Draft }>(() => ({
    key,
    draft: drafts.read(key) ?? {},
  }))
  // Another record or mode in the same place has a draft of its own.
  const present = state.key === key ? state : { key, draft: drafts.read(key) ?? {} }
  if (present !== state) setState(present)
  const latest = useRef(present)
  latest.current = present
  const put = useCallback(
    (draft: Draft) => {
      const filled = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''))
      latest.current = { key, draft: filled }
      setState(latest.current)
      if (Object.keys(filled).length === 0) drafts.remove(key)
      else drafts.put(key, filled)
    },
    [key],
  )
  const change = useCallback(
    (some: Draft) => {
      const base = latest.current.key === key ? latest.current.draft : (drafts.read(key) ?? {})
      put({ ...base, ...some })
    },
    [key, put],
  )
  const clear = useCallback(() => put({}), [put])
  return [present.draft, change, clear]
}
