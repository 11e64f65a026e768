// The dialog that names a tag, and gives one of leads a color.
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { RecordType } from '../../../server/records/description.ts'
import { tagColors, useColorNames } from '../../crm/colors.ts'
import { Swatches } from '../../crm/swatches.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { changeTag, createTag, presentTag } from './tags.ts'
import type { ManagedTag } from './tags.ts'

/** Characters. */
const nameLength = 255

interface TagDraft extends Record<string, unknown> {
  name: string
  color: string | null
}

export function TagForm({
  type,
  tag,
  action,
  onClose,
  onDone,
}: {
  type: RecordType
  /** Undefined for a new one. */
  tag: ManagedTag | undefined
  action: string
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('tags')
  const colors = useTranslations('colors')
  const colorName = useColorNames()
  // A colleague may delete it meanwhile: what is saved then is refused, and says so.
  const [opened] = useState(tag)
  const shown = tag ?? opened
  const { form, submit, isPending, error, notice } = useFilled<TagDraft, unknown>({
    values: draftOf(shown ?? { name: '', color: null }),
    present: async () => {
      const now = opened && (await presentTag(type, opened.id))
      return now && draftOf(now)
    },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: async (filled, _key, changed) => {
      if (!opened) return createTag(type, filled)
      return Object.keys(changed).length > 0 ? changeTag(type, opened.id, changed) : undefined
    },
    onDone,
  })
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
      {type === 'leads' && (
        <Swatches
          legend={colors('title')}
          chosen={form.values.color}
          choose={(to) => form.setFieldValue('color', to)}
          choices={[
            { value: null, name: colorName(null) },
            ...tagColors.map((each) => ({
              value: each,
              name: colorName(`#${each}`),
              style: { background: `#${each}` },
            })),
          ]}
        />
      )}
    </DialogForm>
  )
}

const draftOf = ({ name, color }: Pick<ManagedTag, 'name' | 'color'>): TagDraft => ({ name, color })
