import { useForm } from '@mantine/form'
import type { FormValidateInput, UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { faultsByField } from '../api.ts'
import type { Fault } from '../api.ts'
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
 * A form over values that the server has. Faults of the server stand at their fields. Values that
 * change elsewhere are taken over, unless something was typed here.
 */
export function useFilled<Values extends Record<string, unknown>, Answer>({
  values,
  validate,
  send,
  onDone,
}: {
  values: Values
  validate?: FormValidateInput<Values>
  send: (values: Values) => Promise<Answer>
  onDone?: (answer: Answer) => void
}): Filled<Values> {
  const textOf = useFaultText()
  const form = useForm<Values>({ initialValues: values, ...(validate && { validate }) })
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: send,
    onSuccess: (answer, sent) => {
      form.setInitialValues(sent)
      form.resetDirty(sent)
      onDone?.(answer)
    },
    onError: (refusal) => form.setErrors(errorsOf(refusal, textOf)),
  })
  const saved = JSON.stringify(values)
  useEffect(() => {
    if (form.isDirty()) return
    form.setInitialValues(values)
    form.setValues(values)
    // The text stands for the values, which are a new object in each rendering.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [saved])
  const isPlaced = Object.keys(errorsOf(error, textOf)).some((field) =>
    Object.hasOwn(values, field),
  )
  return {
    form,
    submit: form.onSubmit((filled) => mutate(filled)),
    isPending,
    error: isPlaced ? undefined : error,
    reset: () => {
      form.reset()
      reset()
    },
  }
}

/** `origins.0` is a fault of the field `origins`. */
const errorsOf = (error: unknown, textOf: (fault: Fault) => string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(faultsByField(error, textOf)).map(([path, text]) => [
      path.split('.', 1)[0]!,
      text,
    ]),
  )
