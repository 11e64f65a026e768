import { useForm } from '@mantine/form'
import type { FormValidateInput, UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Problem } from '../data/api.ts'
import type { Fault } from '../data/api.ts'
import { newKey } from '../data/writes.ts'
import { useFaultText } from './faults.ts'

export interface Filled<Values extends Record<string, unknown>> {
  form: UseFormReturnType<Values>
  submit: (event?: React.FormEvent<HTMLFormElement>) => void
  isPending: boolean
  /** A refusal that belongs to no field of the form. */
  error: unknown
  reset: () => void
}

/**
 * A form over values that the server has. Faults of the server stand at their fields: `fieldOf` names
 * the field of a path, by default its first part. Values that change elsewhere are taken over, unless
 * something was typed here. Values that are sent again unchanged have the same key: it is done once.
 */
export function useFilled<Values extends Record<string, unknown>, Answer>({
  values,
  validate,
  send,
  onDone,
  fieldOf = firstPart,
}: {
  values: Values
  validate?: FormValidateInput<Values>
  send: (values: Values, key: string) => Promise<Answer>
  onDone?: (answer: Answer) => void
  fieldOf?: (path: string, sent: Values) => string
}): Filled<Values> {
  const textOf = useFaultText()
  const form = useForm<Values>({ initialValues: values, ...(validate && { validate }) })
  const isSending = useRef(false)
  const named = useRef<{ text: string; key: string }>(undefined)
  const { mutate, isPending, error, reset, variables } = useMutation({
    mutationFn: (filled: Values) => {
      const text = JSON.stringify(filled)
      if (named.current?.text !== text) named.current = { text, key: newKey() }
      return send(filled, named.current.key)
    },
    onSuccess: (answer, sent) => {
      named.current = undefined
      form.setInitialValues(sent)
      form.resetDirty(sent)
      onDone?.(answer)
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
    isPending,
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
