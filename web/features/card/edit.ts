// A field in the user's hands: its draft, what the server said about it, and what others did to it
// meanwhile. The draft lives here alone, so nothing that arrives disturbs what is typed.
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Problem } from '../../api.ts'
import { limitIn, useFaultText, useProblemText } from '../../ui/faults.ts'
import type { NumberRules } from '../../ui/number.ts'
import { useNumbers } from '../../ui/number-field.tsx'
import type { Numbers } from '../../ui/number-field.tsx'
import { useSizeText } from '../../ui/size.ts'
import { warn } from '../../ui/toasts.ts'
import type { Member, Members } from './record.ts'
import { useCardScene, userName } from './scene.ts'
import { useIsAwaited, useKnown, useMember } from './store.ts'
import { draftOf, isAmount, isSame, valuesOf } from './values.ts'
import type { Draft, Field, Values } from './values.ts'

/** A line of a card: a member of the record as a field, and how a change of it is sent. */
export interface Row {
  key: Member
  field: Field
  /** The member as values of the field; by default it is that. */
  read?: (stored: never) => Values
  /** The change of members, and the body that makes it. */
  write: (values: Values) => { change: Partial<Members>; body: object }
  /** The stage needs it. */
  isRequired?: boolean
  /** It always has a value. */
  isKept?: boolean
  isReadOnly?: boolean
  /** What a number may be. */
  rules?: NumberRules
  /** A day that is said by its distance too, and in red once it is past. */
  isDue?: boolean
}

export interface Edit {
  values: Values
  isEditing: boolean
  draft: Draft
  setDraft: (draft: Draft) => void
  begin: () => void
  /** Saves the draft, or the one that is given, and ends. `byKey`: the focus goes back to the value. */
  commit: (draft?: Draft, byKey?: boolean) => void
  cancel: () => void
  clear: () => void
  /** Ends without a change, and says why beside the field. */
  refuse: (error: unknown) => void
  /** Sends a change that has no draft. */
  send: (save: () => Promise<void>) => void
  fault: string | undefined
  /** The two numbers that the draft may mean; empty where there is no such question. */
  readings: readonly string[]
  numbers: Numbers
  state: 'idle' | 'saving' | 'saved'
  /** Somebody else changed the field while it was edited. */
  theirs: { who: string; values: Values } | undefined
  keepMine: () => void
  takeTheirs: () => void
  /** Counts the ends by keys: the value takes the focus. */
  ended: number
}

interface Editing {
  draft: Draft
  /** The value of the server that the edit began from; others have changed it where it differs. */
  base: Values | 'awaited'
}

/** The tick stays so long. */
const savedMs = 2500

export function useEdit(row: Row): Edit {
  const words = useTranslations('card')
  const scene = useCardScene()
  const { store, zones, edit: tellOthers, bootstrap } = scene
  const { field, key } = row
  const read = (stored: unknown): Values =>
    row.read ? row.read((stored ?? null) as never) : ((stored ?? null) as Values)
  const values = read(useMember(store, key))
  const known = read(useKnown(store, key))
  const isAwaited = useIsAwaited(store, key)
  const [editing, setEditing] = useState<Editing>()
  // An edit right after a save began from this value, not from the one that the server showed last.
  if (editing?.base === 'awaited' && !isAwaited) setEditing({ ...editing, base: known })
  const [fault, setFault] = useState<string>()
  const [state, setState] = useState<Edit['state']>('idle')
  const [ended, setEnded] = useState(0)
  const isShown = useRef(true)
  const faultText = useFaultText()
  const problemText = useProblemText()
  const sizeText = useSizeText()
  const isFile = field.type === 'file'
  const currency = isAmount(field.type) ? (field.currency ?? bootstrap.account.currency) : undefined
  const numbers = useNumbers({ ...row.rules, currency })
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  useEffect(() => {
    if (state !== 'saved') return undefined
    const timer = setTimeout(() => setState('idle'), savedMs)
    return () => clearTimeout(timer)
  }, [state])
  // An editor that goes away with its card is not at work any more.
  const isEditing = editing !== undefined
  useLayoutEffect(() => {
    if (!isEditing) return undefined
    tellOthers(key)
    return () => tellOthers(null)
  }, [isEditing, key, tellOthers])

  const now = editing ? valuesOf(field, editing.draft, zones, numbers) : undefined
  const isAmbiguous =
    typeof now === 'object' && now !== null && 'fault' in now && now.fault === 'ambiguous'
  const isChanged =
    editing !== undefined &&
    editing.base !== 'awaited' &&
    !isSame(known, editing.base) &&
    !isSame(known, now)
  const theirs = isChanged
    ? { who: userName(bootstrap, store.changedBy) ?? words('somebody'), values: known }
    : undefined

  function end(byKey = false): void {
    setEditing(undefined)
    setFault(undefined)
    if (byKey) setEnded((count) => count + 1)
  }

  function refusalText(error: unknown): string {
    if (!(error instanceof Problem)) return String(error)
    if (error.status === 0) return words(isFile ? 'files.noConnection' : 'noConnection')
    if (error.status === 413 && isFile) {
      const limit = limitIn(error.message)
      if (limit !== undefined) return words('files.tooLarge', { limit: sizeText(limit) })
    }
    return error.faults.length > 0
      ? [...new Set(error.faults.map((each) => faultText(each)))].join(' ')
      : problemText(error)
  }

  /** A refusal brings the draft back, beside what the server said. */
  function send(sent: Promise<void>, draft?: Draft): void {
    setState('saving')
    setFault(undefined)
    sent.then(
      () => setState('saved'),
      (error: unknown) => {
        setState('idle')
        const text = refusalText(error)
        if (!isShown.current) return void warn(words('notSaved', { field: field.name }), text)
        setFault(text)
        if (draft !== undefined)
          setEditing(
            (present) =>
              present ?? {
                draft,
                base: store.isAwaited(key) ? 'awaited' : read(store.known(key)),
              },
          )
      },
    )
  }

  function save(next: Values, draft: Draft): void {
    const { change, body } = row.write(next)
    // A file is chosen anew; there is nothing in it to correct.
    send(store.save(change, body), isFile ? undefined : draft)
  }

  return {
    values,
    isEditing,
    draft: editing?.draft ?? '',
    setDraft: (draft) => {
      setFault(undefined)
      setEditing((present) => present && { ...present, draft })
    },
    begin() {
      if (editing) return
      setEditing({
        draft: draftOf(field, values, zones, numbers),
        base: isAwaited ? 'awaited' : known,
      })
      setFault(undefined)
      setState('idle')
    },
    commit(draft = editing?.draft, byKey = false) {
      if (!editing || draft === undefined || theirs) return
      const next = valuesOf(field, draft, zones, numbers)
      if (next === 'date') return setFault(words('faults.date'))
      if (next !== null && 'fault' in next) return setFault(numbers.faultText(next))
      if (isSame(next, values)) return end(byKey)
      if (next === null && row.isKept) return setFault(words('faults.kept'))
      if (next === null && row.isRequired) return setFault(words('faults.required'))
      end(byKey)
      save(next, draft)
    },
    cancel: () => end(true),
    clear() {
      if (row.isRequired) return setFault(words('faults.required'))
      end(true)
      if (values !== null) save(null, draftOf(field, values, zones, numbers))
    },
    refuse(error) {
      end(true)
      setFault(refusalText(error))
    },
    send: (saving) => send(saving()),
    fault,
    readings: fault !== undefined && isAmbiguous ? now.readings : [],
    numbers,
    state,
    theirs,
    keepMine: () => setEditing((present) => present && { ...present, base: known }),
    takeTheirs: () => end(true),
    ended,
  }
}
