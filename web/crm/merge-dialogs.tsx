// Asks into which thing of a list another one goes, and then whether it really shall. A job does it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ComponentProps } from 'react'
import { Confirm } from '../ui/confirm.tsx'
import { Picker } from '../ui/picker.tsx'
import { reasonChoices } from './icons.tsx'
import type { Drawable } from './icons.tsx'

export function MergeDialogs<Thing extends Drawable & { id: number; name: string }>({
  title,
  hint,
  targets,
  search = {},
  question,
  text,
  action,
  send,
  onClose,
}: {
  title: string
  hint: string
  /** The others, by the names that people read. */
  targets: Thing[]
  /** Others that are asked for as somebody types. */
  search?: Pick<ComponentProps<typeof Picker>, 'onType' | 'isFetching' | 'error'>
  question: (into: Thing) => string
  /** What becomes of the records. */
  text: string
  action: string
  send: (into: Thing) => Promise<unknown>
  onClose: () => void
}) {
  const client = useQueryClient()
  const [into, setInto] = useState<Thing>()
  const merge = useMutation({
    mutationFn: send,
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['jobs'] }),
  })
  if (!into)
    return (
      <Picker
        title={title}
        hint={hint}
        choices={reasonChoices(targets)}
        onPick={(key) => setInto(targets.find(({ id }) => String(id) === key))}
        onClose={onClose}
        {...search}
      />
    )
  return (
    <Confirm
      opened
      title={question(into)}
      text={text}
      action={action}
      isPending={merge.isPending}
      error={merge.error}
      onConfirm={() => merge.mutate(into)}
      onClose={onClose}
    />
  )
}
