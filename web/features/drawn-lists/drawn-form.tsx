// The dialog that names a type of tasks or a loss reason, and gives it a colour and an icon.
import { Alert, TextInput } from '@mantine/core'
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
  action,
  nameLength,
  hasColor,
  send,
  onClose,
  onDone,
}: {
  /** As the server has it now; undefined for a new one. */
  thing: DrawnThing | undefined
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
  const [opened] = useState(thing)
  const values: DrawnDraft = thing
    ? { name: thing.name, color: thing.color, icon_id: thing.icon_id }
    : { name: '', color: hasColor ? '98cbff' : null, icon_id: null }
  const { form, submit, isPending, error } = useFilled<
    DrawnDraft & Record<string, unknown>,
    unknown
  >({
    values: { ...values },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: (filled) => send(opened ? changed(opened, filled) : filled),
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
    >
      {opened && thing && isOvertaken(opened, thing, form.values) && (
        <Alert role="alert" mb="md">
          {words('overtaken', { name: thing.name })}
        </Alert>
      )}
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

/** What differs from what the user saw: a colleague's change of the rest stays. */
function changed(opened: DrawnDraft, filled: DrawnDraft): Partial<DrawnDraft> {
  return {
    ...(filled.name.trim() !== opened.name && { name: filled.name }),
    ...(filled.color !== opened.color && { color: filled.color }),
    ...(filled.icon_id !== opened.icon_id && { icon_id: filled.icon_id }),
  }
}

/** Whether a colleague has changed what the user is changing to something else. */
const isOvertaken = (opened: DrawnDraft, now: DrawnDraft, filled: DrawnDraft): boolean =>
  (['name', 'color', 'icon_id'] as const).some(
    (key) => now[key] !== opened[key] && filled[key] !== opened[key] && filled[key] !== now[key],
  )
