// The changes that an administrator is making on the page of the account. A value that nobody has touched here follows the
// server. A changed one keeps the value that it began from: where the server has another one meanwhile, before or
// after it was sent, the page asks whose stays.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { bootstrapQuery } from '../../crm/bootstrap.ts'
import { putAnswer } from '../../data/answers.ts'
import { Problem } from '../../data/api.ts'
import { isOvertaken } from '../../data/conflicts.ts'
import { announceChanged } from '../../data/tabs.ts'
import { accountSettingsQuery, sendAccountChange, valuesOfAccount } from './account.ts'
import type { SettingsOfAccount, AccountValueName, AccountValues } from './account.ts'

/** A value on its way: the one that the page showed, and the one that the user wants. */
type Begun = {
  [Name in AccountValueName]?: { base: AccountValues[Name]; wanted: AccountValues[Name] }
}

export interface AccountChanges {
  /** The value that the page shows. */
  value: <Name extends AccountValueName>(name: Name) => AccountValues[Name]
  /** Shows another value; it is sent by `send`. */
  type: <Name extends AccountValueName>(name: Name, wanted: AccountValues[Name]) => void
  /** Shows another value and sends it. */
  change: <Name extends AccountValueName>(name: Name, wanted: AccountValues[Name]) => void
  /** Sends what was typed. */
  send: (names: readonly AccountValueName[]) => void
  drop: (names: readonly AccountValueName[]) => void
  isTyped: (name: AccountValueName) => boolean
  /** The value of the server, where it is not the one that the change began from. */
  theirs: <Name extends AccountValueName>(name: Name) => { value: AccountValues[Name] } | undefined
  /** Lets a change go on from the value of the server, and sends it. */
  keepMine: (name: AccountValueName) => void
  /** The latest sending of a value. */
  save: (name: AccountValueName) => { isSuccess: boolean; submittedAt: number; error: unknown }
  isPending: boolean
}

/** `errors` of the typed names stay with what was typed; a choice that is refused goes back to what was. */
export function useAccountChanges(
  settings: SettingsOfAccount,
  typed: readonly AccountValueName[],
): AccountChanges {
  const client = useQueryClient()
  const present = valuesOfAccount(settings)
  const [begun, setBegun] = useState<Begun>({})
  // A change that waits for the one before it begins from what that one left, before the page is drawn again.
  const latest = useRef<Begun>({})
  const update = (change: (now: Begun) => Begun) => {
    latest.current = change(latest.current)
    setBegun(latest.current)
  }
  const forget = (names: readonly AccountValueName[]) =>
    update((now) => {
      const left = Object.entries(now).filter(([name]) => !names.includes(name as AccountValueName))
      return Object.fromEntries(left)
    })
  const { mutate, isPending, isSuccess, submittedAt, error, variables } = useMutation({
    scope: { id: 'account-settings' },
    mutationFn: (sent: Begun) =>
      sendAccountChange(each(sent, 'wanted'), {
        ...each(sent, 'base'),
        ...each(those(latest.current, namesOf(sent)), 'base'),
      }),
    onSuccess: (answer, sent) => {
      putAnswer(client, accountSettingsQuery.queryKey, answer)
      // A change that was begun since goes on from the value that was sent.
      update((now) => {
        const left = Object.entries(now).flatMap(([name, one]) => {
          const done = sent[name as AccountValueName]
          if (!done) return [[name, one]]
          const isNew = JSON.stringify(one.wanted) !== JSON.stringify(done.wanted)
          return isNew ? [[name, { ...one, base: done.wanted }]] : []
        })
        return Object.fromEntries(left) as Begun
      })
      void client.invalidateQueries({ queryKey: bootstrapQuery.queryKey })
      announceChanged('bootstrap', 'account-settings')
    },
    onError: async (refusal, sent) => {
      if (isChanged(refusal))
        await client.invalidateQueries({ queryKey: accountSettingsQuery.queryKey })
      else forget(namesOf(sent).filter((name) => !typed.includes(name)))
    },
  })
  const begin = <Name extends AccountValueName>(name: Name, wanted: AccountValues[Name]) => ({
    base: begun[name]?.base ?? present[name],
    wanted,
  })
  return {
    value: (name) => {
      const one = begun[name]
      return one === undefined ? present[name] : one.wanted
    },
    type(name, wanted) {
      const one = begin(name, wanted)
      // What is as it was is no change; a blank at the end is one, or nobody could type a second word.
      if (JSON.stringify(one.base) === JSON.stringify(wanted)) forget([name])
      else update((now) => ({ ...now, [name]: one }))
    },
    change(name, wanted) {
      const one = { base: present[name], wanted }
      update((now) => ({ ...now, [name]: one }))
      mutate({ [name]: one })
    },
    send: (names) =>
      mutate(
        Object.fromEntries(names.flatMap((name) => (begun[name] ? [[name, begun[name]]] : []))),
      ),
    drop: forget,
    isTyped: (name) => begun[name] !== undefined,
    theirs: (name) => {
      const one = begun[name]
      const isLate = one && isOvertaken(one.base, present[name], one.wanted)
      return isLate ? { value: present[name] } : undefined
    },
    keepMine(name) {
      const one = { base: present[name], wanted: begun[name]!.wanted }
      update((now) => ({ ...now, [name]: one }))
      mutate({ [name]: one })
    },
    save: (name) =>
      variables !== undefined && name in variables
        ? { isSuccess, submittedAt, error: isChanged(error) ? null : error }
        : { isSuccess: false, submittedAt: 0, error: null },
    isPending,
  }
}

/** Whether somebody else was faster: the page asks about it instead of showing a refusal. */
const isChanged = (error: unknown): boolean =>
  error instanceof Problem && error.status === 409 && error.code === 'Changed'

const namesOf = (begun: Begun) => Object.keys(begun) as AccountValueName[]

const those = (begun: Begun, names: readonly AccountValueName[]): Begun =>
  Object.fromEntries(
    Object.entries(begun).filter(([name]) => names.includes(name as AccountValueName)),
  )

const each = (begun: Begun, side: 'base' | 'wanted'): Partial<AccountValues> =>
  Object.fromEntries(Object.entries(begun).map(([name, one]) => [name, one[side]]))
