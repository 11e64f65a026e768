// The dialog that names a type of tasks or a loss reason, and gives it a colour and an icon.
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { isStageColor, stageColors, useColorNames } from '../../crm/colors.ts'
import { drawnIcons } from '../../crm/drawn-icons.tsx'
import type { IconNumber } from '../../crm/drawn-icons.tsx'
import { inkOn } from '../../crm/icons.tsx'
import type { Drawable } from '../../crm/icons.tsx'
import { Swatches } from '../../crm/swatches.tsx'

export interface DrawnThing extends Drawable {
  id: number
  name: string
}

/** The members that are sent of a thing: of one that exists, those that were changed. */
export interface DrawnDraft {
  name: string
  color: string | null
  icon_id: number | null
}

export function DrawnForm({
  thing,
  present,
  action,
  nameLength,
  hasColor,
  send,
  onClose,
  onDone,
}: {
  /** Undefined for a new one. */
  thing: DrawnThing | undefined
  /** Reads it anew; undefined: it is deleted. */
  present: (id: number) => Promise<DrawnThing | undefined>
  action: string
  /** Characters. */
  nameLength: number
  /** It cannot be without a colour. */
  hasColor: boolean
  send: (draft: Partial<DrawnDraft>) => Promise<unknown>
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('drawing')
  // A colleague may delete it meanwhile: what is saved then is refused, and says so.
  const [opened] = useState(thing)
  const shown = thing ?? opened
  const values = shown
    ? draftOf(shown)
    : { name: '', color: hasColor ? '98cbff' : null, icon_id: null }
  const { form, submit, isPending, error, notice } = useFilled<
    DrawnDraft & Record<string, unknown>,
    unknown
  >({
    values: { ...values },
    present: async () => {
      const now = opened && (await present(opened.id))
      return now && { ...draftOf(now) }
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: async (filled, _key, changed) => {
      if (!opened) return send(filled)
      return Object.keys(changed).length > 0 ? send(changed) : undefined
    },
    onDone,
  })
  const { color, icon_id } = form.values
  const colorName = useColorNames()
  const colors = useTranslations('colors')
  const isOwn = color !== null && !isStageColor(`#${color}`)
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={action}
      isPending={isPending}
      error={error}
      notice={notice}
    >
      <TextInput
        label={words('name')}
        maxLength={nameLength}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Swatches
        legend={colors('title')}
        chosen={color}
        choose={(to) => form.setFieldValue('color', to)}
        choices={[
          ...(hasColor ? [] : [{ value: null, name: colorName(null) }]),
          ...[...stageColors, ...(isOwn ? [`#${color}`] : [])].map((each) => ({
            value: each.slice(1),
            name: colorName(each),
            style: { background: each },
          })),
        ]}
      />
      <Swatches
        legend={words('icon')}
        chosen={icon_id}
        choose={(to) => form.setFieldValue('icon_id', to)}
        choices={[
          { value: null, name: words('noIcon') },
          ...Object.entries(drawnIcons).map(([number, { name, Icon }]) => ({
            value: Number(number) as IconNumber,
            name: words(`icons.${name}`),
            content: <Icon size={16} aria-hidden />,
            ...(Number(number) === icon_id &&
              color !== null && { style: { background: `#${color}`, color: inkOn(color) } }),
          })),
        ]}
      />
    </DialogForm>
  )
}

const draftOf = ({ name, color, icon_id }: DrawnThing): DrawnDraft => ({ name, color, icon_id })
