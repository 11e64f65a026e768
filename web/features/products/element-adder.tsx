// A new element of a catalog: its name, and the fields that each element needs.
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import type { CatalogElement } from '../../crm/catalogs.ts'
import { controls } from '../../crm/fields/controls.tsx'
import { FieldInput } from '../../crm/fields/field-dialog.tsx'
import type { Values } from '../../crm/fields/field.ts'
import { newKey } from '../../data/writes.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { fieldOfCatalog, sentField } from './columns.ts'
import { addToCatalog } from './elements.ts'
import type { CatalogField } from './elements.ts'

/** The names of elements that were begun and not added, by catalog, for as long as the page lives. */
const begun = new Map<number, string>()

export function ElementAdder({
  catalogId,
  fields,
  onAdded,
  onClose,
}: {
  catalogId: number
  fields: readonly CatalogField[]
  onAdded: (element: CatalogElement) => void
  onClose: () => void
}) {
  const words = useTranslations('products')
  const ui = useTranslations('ui')
  const { account } = useBootstrap()
  const [name, setName] = useState(() => begun.get(catalogId) ?? '')
  const [filled, setFilled] = useState<Readonly<Record<number, Values | undefined>>>({})
  const [isTried, setTried] = useState(false)
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  // The same element once more has the same key, so that it is added once.
  const sent = useRef({ text: '', key: '' })
  const needed = fields.filter(({ is_required }) => is_required)
  const shown = needed.map(fieldOfCatalog)
  const foreign = shown.filter(({ type }) => controls[type] === undefined)
  const isMissing = name.trim() === ''

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTried(true)
    if (isPending || isMissing || needed.some(({ id }) => !filled[id])) return
    const body = {
      name: name.trim(),
      ...(needed.length > 0 && {
        custom_fields_values: needed.map((field) =>
          sentField(field, filled[field.id] ?? null, account.timezone),
        ),
      }),
    }
    const text = JSON.stringify(body)
    if (sent.current.text !== text) sent.current = { text, key: newKey() }
    setPending(true)
    setError(undefined)
    try {
      const element = await addToCatalog(catalogId, body, sent.current.key)
      begun.delete(catalogId)
      onAdded(element)
    } catch (refusal) {
      setError(refusal)
      setPending(false)
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={words('new')}
      size={440}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      {foreign.length > 0 ? (
        <Stack gap="md">
          <Text>
            {words('needsOthers', { fields: foreign.map((each) => each.name).join(', ') })}
          </Text>
          <Button variant="default" onClick={onClose} data-autofocus style={{ alignSelf: 'end' }}>
            {ui('understood')}
          </Button>
        </Stack>
      ) : (
        <DialogForm
          action={words('add')}
          isPending={isPending}
          error={error}
          onCancel={onClose}
          onSubmit={(event) => void add(event)}
        >
          <Stack gap="md">
            <TextInput
              label={words('name')}
              data-autofocus
              maxLength={255}
              value={name}
              error={isTried && isMissing ? ui('needed') : undefined}
              onChange={({ currentTarget }) => {
                setName(currentTarget.value)
                begun.set(catalogId, currentTarget.value)
              }}
            />
            {shown.map((field) => (
              <FieldInput
                key={field.id}
                field={field}
                isFirst={false}
                isTried={isTried}
                onFill={(values) => setFilled((now) => ({ ...now, [field.id]: values }))}
              />
            ))}
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}
