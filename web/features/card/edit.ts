// A field in the user's hands: its draft, what the server said about it, and what others did to it
// meanwhile. The draft lives here alone, so nothing that arrives disturbs what is typed. A card or a page
// that is left in any way saves it as the focus does that leaves the field; a draft that is invalid, refused or
// overtaken by others is kept in this browser, and offered when the record is opened again.
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Problem } from '../../data/api.ts'
import { isOvertaken, isSameValue, ChangeOvertaken } from '../../data/conflicts.ts'
import { forgetEdit, keepEdit, readEdit } from '../../data/kept-edits.ts'
import { followEdit } from '../../data/leaving.ts'
import { useMonthFirst } from '../../ui/day.ts'
import { useFaultText, useProblemText } from '../../ui/faults.ts'
import type { NumberRules } from '../../ui/number.ts'
import { useNumbers } from '../../ui/number-field.tsx'
import type { Numbers } from '../../ui/number-field.tsx'
import { useSizeText } from '../../ui/size.ts'
import { warn } from '../../ui/toasts.ts'
import type { MemberName, Members } from './record.ts'
import { useOpenCard, useLastEditor } from './context.ts'
import { useIsAwaited, useKnown, useMember } from './store.ts'
import { isSame } from '../../crm/fields/field.ts'
import type { Draft, Field, Values } from '../../crm/fields/field.ts'
import { copiedText, draftOf, fieldKinds, pastedDraft, valuesOf } from '../../crm/fields/types.ts'

/** A line of a card: a member of the record as a field, and how a change of it is sent. */
export interface CardLine {
  key: MemberName
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
  /** The numbers that it takes. */
  rules?: NumberRules
  /** A day that is said by its distance too, and in red once it is past. */
  isDue?: boolean
}

export interface Edit {
  values: Values
  isEditing: boolean
  draft: Draft
  setDraft: (draft: Draft) => void
  /** The value of the server. */
  known: Values
  /** `base`: the value that the user saw as the change was begun, where that was earlier. */
  begin: (base?: Values) => void
  /**
   * Saves the draft, or the one that is given, and ends. `byKey`: the focus goes back to the value. While
   * others' change waits for an answer, the focus goes to it.
   */
  commit: (draft?: Draft, byKey?: boolean) => void
  /** The focus leaves the field: saves what was typed, if nothing waits for an answer. */
  leaveField: () => void
  cancel: () => void
  clear: () => void
  /** Ends without a change, and says why beside the field. */
  refuse: (error: unknown) => void
  /** Saves the draft of a card that is gone, unless others have changed the same. */
  saveLate: (draft: Draft) => void
  /** Says that the draft of a card that is gone was not saved. */
  warnLate: (error: unknown) => void
  fault: string | undefined
  /** The two numbers that the draft may mean; empty where there is no such question. */
  readings: readonly string[]
  numbers: Numbers
  state: 'idle' | 'saving' | 'saved' | 'copied'
  /** The value as a text of the clipboard, while it is read; empty where there is none. */
  copy: () => string
  /** Saves the value that a text of the clipboard means. One that is wrong comes as a draft. */
  paste: (text: string) => void
  /** Counts the pasted texts in a row that had no value: each is said. */
  unread: number
  forgetPaste: () => void
  /** Saves a box, which has no draft. */
  saveFlag: (isSet: boolean) => void
  /** Somebody else changed the field while it was edited. */
  theirs: { who: string; values: Values } | undefined
  /** Saves the draft at once, over what others did. */
  keepMine: () => void
  takeTheirs: () => void
  /** Counts the times that the answers to others' change were asked for. */
  focusRequests: number
  /** When the draft was left, in milliseconds since 1970, of one that is offered and not touched since. */
  offeredAt: number | undefined
  /** A refusal brought the draft back. */
  isBack: boolean
  /** Counts the ends by keys: the value takes the focus. */
  ended: number
  /** Counts the drafts that were refused by keys: the control takes the focus. */
  corrected: number
}

interface Editing {
  draft: Draft
  /** The draft that the editor began with; none where a refused draft came back. */
  initial: Draft | undefined
  /** The value of the server that the edit began from; others have changed it where it differs. */
  base: Values | 'awaited'
  /** When an earlier visit left the draft, in milliseconds since 1970. */
  leftAt?: number
}

/** Whether a draft was read as values. */
const isRead = (next: ReturnType<typeof valuesOf>): next is Values =>
  next === null || (typeof next !== 'string' && !('fault' in next))

/** The tick stays so long. */
const savedMs = 2500

export function useEdit(row: CardLine): Edit {
  const words = useTranslations('card')
  const context = useOpenCard()
  const { store, zones, edit: announceEdit, bootstrap, mayEdit } = context
  const lastEditor = useLastEditor()
  const { field, key } = row
  const record = `${store.type} ${store.id}`
  const read = (stored: unknown): Values =>
    row.read ? row.read((stored ?? null) as never) : ((stored ?? null) as Values)
  const values = read(useMember(store, key))
  const known = read(useKnown(store, key))
  const hasAnswer = useKnown(store, 'created_at') !== undefined
  const isAwaited = useIsAwaited(store, key)
  const [editing, setEditing] = useState<Editing>()
  // An edit right after a save began from this value, not from the one that the server showed last.
  if (editing?.base === 'awaited' && !isAwaited) setEditing({ ...editing, base: known })
  const [fault, setFault] = useState<string>()
  const [state, setState] = useState<Edit['state']>('idle')
  /** Counts the pasted texts in a row that had no value. */
  const [unread, setUnread] = useState(0)
  const [ended, setEnded] = useState(0)
  const [focusRequests, setFocusRequests] = useState(0)
  const [corrected, setCorrected] = useState(0)
  const isShown = useRef(true)
  const faultText = useFaultText()
  const problemText = useProblemText()
  const sizeText = useSizeText()
  const isFile = field.type === 'file'
  const currency = fieldKinds[field.type].isAmount
    ? (field.currency ?? bootstrap.account.currency)
    : undefined
  const numbers = useNumbers({ ...row.rules, currency })
  const means = { zones, numbers, isMonthFirst: useMonthFirst() }
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  useEffect(() => {
    if (state !== 'saved' && state !== 'copied') return undefined
    const timer = setTimeout(() => setState('idle'), savedMs)
    return () => clearTimeout(timer)
  }, [state])

  // A draft that was left is offered once, as soon as the value of the server is here beside it.
  const mayOffer = mayEdit && !row.isReadOnly && hasAnswer
  const offering = useRef(offer)
  useLayoutEffect(() => {
    offering.current = offer
  })
  useLayoutEffect(() => {
    if (mayOffer) offering.current()
  }, [mayOffer])

  const isTouched = editing !== undefined && !isSame(editing.draft, editing.initial)
  const offeredAt = isTouched ? undefined : editing?.leftAt
  const wanted = editing ? valuesOf(field, editing.draft, means) : undefined
  const isAmbiguous =
    typeof wanted === 'object' &&
    wanted !== null &&
    'fault' in wanted &&
    wanted.fault === 'ambiguous'
  const isBehind = (values: unknown) =>
    editing !== undefined && editing.base !== 'awaited' && isOvertaken(editing.base, known, values)
  const theirs = isBehind(wanted)
    ? {
        who: lastEditor(),
        values: known,
      }
    : undefined

  // An editor that goes away with its card is not at work any more.
  const isAtWork = editing !== undefined && offeredAt === undefined
  useLayoutEffect(() => {
    if (!isAtWork) return undefined
    announceEdit(key)
    return () => announceEdit(null)
  }, [isAtWork, key, announceEdit])

  const isEditing = editing !== undefined
  const atLeaving = useRef({ leave, keep: keepDraft })
  useLayoutEffect(() => {
    atLeaving.current = { leave, keep: keepDraft }
  })
  useLayoutEffect(() => {
    if (!isEditing) return undefined
    const stop = followEdit({
      leave: () => atLeaving.current.leave(),
      keep: () => atLeaving.current.keep(),
    })
    return () => {
      stop()
      // The card is gone, and what was typed in it is not.
      if (isOpen.current) atLeaving.current.leave()
    }
  }, [isEditing])
  /** False from the end of an edit, before React draws it. */
  const isOpen = useRef(false)
  useLayoutEffect(() => {
    isOpen.current = isEditing
  }, [isEditing])

  // Another tab, or the page that was left, has saved the draft that is offered.
  const isSaved = offeredAt !== undefined && isSameValue(known, wanted)
  useEffect(() => {
    if (!isSaved) return
    setEditing(undefined)
    setFault(undefined)
    forgetEdit(record, key)
  }, [isSaved, record, key])

  function offer(): void {
    const kept = readEdit(record, key)
    if (!kept || editing || field.type === 'checkbox') return
    const isDraft = kept.draft !== undefined
    const draft = isDraft ? (kept.draft as Draft) : draftOf(field, read(kept.after), means)
    const base = isDraft ? (kept.base as Editing['base']) : read(kept.base)
    const next = valuesOf(field, draft, means)
    const isLate = base !== 'awaited' && isOvertaken(base, known, next)
    if (isSameValue(known, next) || (isFile && !isLate)) return forgetEdit(record, key)
    setEditing({ draft, initial: draft, base, leftAt: kept.at })
    setFault(faultIn(next))
  }

  function end(byKey = false): void {
    isOpen.current = false
    setEditing(undefined)
    setFault(undefined)
    setFocusRequests(0)
    forgetEdit(record, key)
    if (byKey) setEnded((count) => count + 1)
  }

  function faultIn(next: ReturnType<typeof valuesOf>): string | undefined {
    if (next === 'date') return words('faults.date')
    if (next !== null && 'fault' in next) return numbers.faultText(next)
    if (next === null && values !== null && row.isKept) return words('faults.kept')
    if (next === null && values !== null && row.isRequired) return words('faults.required')
    return undefined
  }

  const isUnchanged = (next: ReturnType<typeof valuesOf>, draft: Draft): boolean =>
    isSame(next, values) || isSame(draft, draftOf(field, values, means))

  function keepDraft(): void {
    if (!editing || !isTouched || isFile || !isOpen.current) return
    keepEdit(record, key, { draft: editing.draft, base: editing.base, at: Date.now() })
  }

  function leave(): void {
    if (!editing || !isTouched || isFile || !isOpen.current) return
    const { draft } = editing
    const next = valuesOf(field, draft, means)
    if (!isRead(next) || theirs || fault !== undefined || faultIn(next) !== undefined)
      return keepDraft()
    end()
    if (!isUnchanged(next, draft)) save(next, draft)
  }

  function refusalText(error: unknown): string {
    if (!(error instanceof Problem)) return String(error)
    if (error.status === 0) return words(isFile ? 'files.noConnection' : 'noConnection')
    if (error.limit !== undefined && isFile)
      return words('files.tooLarge', { limit: sizeText(error.limit) })
    return error.faults.length > 0
      ? [...new Set(error.faults.map((each) => faultText(each)))].join(' ')
      : problemText(error)
  }

  function warnLate(error: unknown): void {
    const why = error instanceof ChangeOvertaken ? words('overtaken') : refusalText(error)
    warn(words('notSaved', { field: field.name }), why)
  }

  /** A refusal brings the draft back, beside what the server or others said. */
  function send(sent: Promise<void>, draft?: Draft, base: Values = null): void {
    setState('saving')
    setFault(undefined)
    sent.then(
      () => setState('saved'),
      (error: unknown) => {
        setState('idle')
        const isLate = error instanceof ChangeOvertaken
        const begun = isLate
          ? base
          : store.isAwaited(key)
            ? ('awaited' as const)
            : read(store.known(key))
        if (!isShown.current) {
          if (draft !== undefined && !isFile)
            keepEdit(record, key, { draft, base: begun, at: Date.now() })
          return warnLate(error)
        }
        if (!isLate) setFault(refusalText(error))
        // A file is chosen anew; there is nothing in it to correct.
        if (draft !== undefined && (isLate || !isFile))
          setEditing((present) => present ?? { draft, initial: undefined, base: begun })
      },
    )
  }

  function save(next: Values, draft: Draft): void {
    const { change, body } = row.write(next)
    send(store.save(change, body), draft, values)
  }

  function saveFlag(isSet: boolean): void {
    const { change, body } = row.write([{ value: isSet }])
    send(store.save(change, body))
  }

  /** Saves a draft and ends; false where it cannot be saved. */
  function submit(draft: Draft, byKey: boolean): boolean {
    const next = valuesOf(field, draft, means)
    if (isUnchanged(next, draft)) {
      end(byKey)
      return true
    }
    const wrong = faultIn(next)
    setFault(wrong)
    if (wrong !== undefined || !isRead(next)) return false
    end(byKey)
    save(next, draft)
    return true
  }

  return {
    values,
    known,
    isEditing,
    draft: editing?.draft ?? '',
    setDraft: (draft) => {
      setFault(undefined)
      setEditing((present) => present && { ...present, draft })
    },
    begin(base = known) {
      if (editing) return
      setUnread(0)
      const draft = draftOf(field, values, means)
      setEditing({ draft, initial: draft, base: isAwaited ? 'awaited' : base })
      setFault(undefined)
      setState('idle')
    },
    commit(draft = editing?.draft, byKey = false) {
      if (!editing || draft === undefined) return
      if (!isBehind(valuesOf(field, draft, means))) return void submit(draft, byKey)
      setEditing({ ...editing, draft })
      setFocusRequests((count) => count + 1)
    },
    leaveField() {
      if (!editing || offeredAt !== undefined) return
      if (!theirs) submit(editing.draft, false)
      else if (!isTouched) end()
    },
    copy() {
      const text = copiedText(field, values, means)
      if (text !== '' && state !== 'saving') setState('copied')
      return text
    },
    paste(text) {
      if (editing) return
      setFault(undefined)
      const draft = pastedDraft(field, text, means, values)
      setUnread((count) => (draft === undefined ? count + 1 : 0))
      if (draft === undefined) return
      // A box has no editor.
      if (fieldKinds[field.type].isFlag) return saveFlag(draft === 'yes')
      if (submit(draft, true)) return
      const initial = draftOf(field, values, means)
      setEditing({ draft, initial, base: isAwaited ? 'awaited' : known })
    },
    cancel: () => end(true),
    clear() {
      if (row.isRequired) return setFault(words('faults.required'))
      end(true)
      if (values !== null) save(null, draftOf(field, values, means))
    },
    refuse(error) {
      end(true)
      setFault(refusalText(error))
    },
    saveLate(draft) {
      if (!editing) return
      const next = valuesOf(field, draft, means)
      const present = read(store.known(key))
      if (!isRead(next)) return
      if (editing.base !== 'awaited' && isOvertaken(editing.base, present, next)) {
        keepEdit(record, key, { draft, base: editing.base, at: Date.now() })
        return warnLate(new ChangeOvertaken())
      }
      save(next, draft)
    },
    warnLate,
    fault: fault ?? (unread > 0 ? words('faults.paste') : undefined),
    unread,
    forgetPaste: () => setUnread(0),
    saveFlag,
    readings: fault !== undefined && isAmbiguous ? wanted.readings : [],
    numbers,
    state,
    theirs,
    keepMine() {
      if (!editing) return
      setFocusRequests(0)
      setEditing({ ...editing, base: known })
      // A file that is still on its way is saved once it has arrived.
      if (isFile && !isTouched && editing.leftAt === undefined) return
      if (!submit(editing.draft, true)) setCorrected((count) => count + 1)
    },
    takeTheirs: () => end(true),
    focusRequests,
    offeredAt,
    isBack: editing !== undefined && editing.initial === undefined,
    ended,
    corrected,
  }
}
