import { useForm } from '@mantine/form'
import type { FormValidateInput, UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Problem } from '../data/api.ts'
import type { Fault } from '../data/api.ts'
import { isOvertaken, isSameValue } from '../data/conflicts.ts'
import { newKey } from '../data/writes.ts'
import { useOrders } from './conflict.tsx'
import { useFaultText } from './faults.ts'

export interface Filled<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>
  submit: (event?: React.FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** A refusal that belongs to no field of the form. */
  error: unknown
  /** The question whose value stays, where somebody else has changed the same meanwhile. */
  notice: ReactNode
  reset: () => void
}

/**
 * A form over values that the server has. Faults of the server stand at their fields: `fieldOf` names
 * the field of a path, by default its first part. Values that change elsewhere are taken over, unless
 * something was typed here. Values that are sent again unchanged have the same key: it is done once.
 *
 * `present` reads what the server has now, before values are sent that others may have changed since
 * the user began; undefined: it is deleted. Members that the user left alone are sent as they are now.
 * A member that both have changed is asked about first.
 */
export function useFilled<Values extends Record<string, unknown>, Answer>({
  values,
  validate,
  present,
  send,
  onDone,
  fieldOf = firstPart,
}: {
  values: Values
  validate?: FormValidateInput<Values>
  present?: () => Promise<Values | undefined>
  /** `changed`: the members that the user has changed. */
  send: (values: Values, key: string, changed: Partial<Values>) => Promise<Answer>
  onDone?: (answer: Answer) => void
  fieldOf?: (path: string, sent: Values) => string
}): Filled<Values> {
  const textOf = useFaultText()
  const words = useTranslations('ui')
  const orders = useOrders()
  const form = useForm<Values>({ initialValues: values, ...(validate && { validate }) })
  const isSending = useRef(false)
  const named = useRef<{ text: string; key: string }>(undefined)

  /** Answers the values to send, once the user has said whose stay; undefined: those of others stay. */
  async function agreed(filled: Values, begun: Values): Promise<Values | undefined> {
    const now = await present?.()
    if (!now) return filled
    const names = Object.keys(filled).filter((name) => !isSameValue(begun[name], filled[name]))
    const merged = { ...now, ...pick(filled, names) }
    const late = names.filter((name) => isOvertaken(begun[name], now[name], filled[name]))
    if (late.length === 0) return merged
    const isMine = await orders.decide({
      base: pick(begun, late),
      present: pick(now, late),
      wanted: pick(filled, late),
      text: late.includes('name')
        ? words('renamedMeanwhile', { name: String(now['name']) })
        : words('changedMeanwhile'),
    })
    form.setInitialValues(now)
    if (isMine) return merged
    form.setValues({ ...merged, ...pick(now, late) })
    return undefined
  }

  const { mutate, isPending, error, reset, variables } = useMutation({
    mutationFn: async (filled: Values) => {
      const begun = form.getInitialValues()
      const sent = await agreed(filled, begun)
      if (!sent) return undefined
      const text = JSON.stringify(sent)
      if (named.current?.text !== text) named.current = { text, key: newKey() }
      const names = Object.keys(sent).filter((name) => !isSameValue(begun[name], filled[name]))
      return { sent, answer: await send(sent, named.current.key, pick(sent, names)) }
    },
    onSuccess: (done) => {
      if (!done) return
      named.current = undefined
      form.setInitialValues(done.sent)
      form.resetDirty(done.sent)
      onDone?.(done.answer)
    },
    onError: (refusal, sent) => {
      const faults = faultsOf(refusal).map((fault) => [fieldOf(fault.path, sent), textOf(fault)])
      form.setErrors(Object.fromEntries(faults) as Record<string, string>)
    },
    onSettled: () => {
      isSending.current = false
    },
  })
  const saved = JSON.stringify(values)
  useEffect(() => {
    if (form.isDirty()) return
    form.setInitialValues(values)
    form.setValues(values)
    // The text stands for the values, which are a new object in each rendering.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [saved])
  return {
    form,
    // Two keys in one moment are one sending.
    submit: form.onSubmit((filled) => {
      if (isSending.current) return
      isSending.current = true
      mutate(filled)
    }),
    isPending: isPending && !orders.notice,
    notice: orders.notice,
    error: withoutFaults(
      error,
      ({ path }) => !!variables && Object.hasOwn(values, fieldOf(path, variables)),
    ),
    reset: () => {
      form.reset()
      reset()
    },
  }
}

const pick = <Values extends Record<string, unknown>>(values: Values, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>

/** `origins.0` is a fault of the field `origins`. */
const firstPart = (path: string): string => path.split('.', 1)[0]!

const faultsOf = (error: unknown): Fault[] => (error instanceof Problem ? error.faults : [])

/** The rest of a refusal beside the faults that stand at fields; null where nothing does. */
function withoutFaults(error: unknown, isPlaced: (fault: Fault) => boolean): unknown {
  const faults = faultsOf(error)
  if (!(error instanceof Problem) || faults.length === 0) return error
  const left = faults.filter((fault) => !isPlaced(fault))
  if (left.length === 0) return null
  const { status, title, requestId } = error
  const detail = left.map((fault) => fault.detail).join(' ')
  return new Problem(status, title, detail, { faults: left, requestId })
}
