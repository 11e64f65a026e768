import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import { ReachInputs } from '../../ui/reach-inputs.tsx'
import { NewForm, SideBySide, useNew } from './new.tsx'
import type { NewProps } from './new.tsx'
import { idOf, RecordPicker } from './record-picker.tsx'

/** A person, of a company that exists where one is given. */
export function NewContactForm(props: NewProps) {
  const words = useTranslations('create')
  const [values] = useState({
    first_name: props.text,
    last_name: '',
    phone: '',
    email: '',
    company: '',
  })
  const filled = useNew(props, {
    values,
    stale: ['contacts', 'search'],
    validate: {
      first_name: (first, { last_name, phone, email }) =>
        (first + last_name + phone + email).trim() === '' ? words('nameMissing') : undefined,
    },
    fieldOf: (path, sent) =>
      path.startsWith('_embedded.companies') ? 'company' : (fieldOfReachable(path, sent) ?? path),
    send: async (sent, key) => {
      const [first_name, last_name] = [sent.first_name.trim(), sent.last_name.trim()]
      const reachable = reachableAt(sent)
      const id = await addRecord(
        'contacts',
        {
          first_name,
          last_name,
          ...(reachable.length > 0 && { custom_fields_values: reachable }),
          ...(sent.company !== '' && { _embedded: { companies: [{ id: idOf(sent.company) }] } }),
        },
        key,
      )
      const name = `${first_name} ${last_name}`.trim()
      return { type: 'contacts', id, name: name || `#${id}` }
    },
  })
  const { form } = filled
  return (
    <NewForm filled={filled} onCancel={props.onCancel}>
      <SideBySide>
        <TextInput
          label={words('firstName')}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('first_name')}
        />
        <TextInput
          label={words('lastName')}
          autoComplete="off"
          {...form.getInputProps('last_name')}
        />
      </SideBySide>
      <SideBySide>
        <ReachInputs form={form} phone={words('phone')} email={words('email')} />
      </SideBySide>
      <RecordPicker
        label={words('nouns.company')}
        types={['companies']}
        {...form.getInputProps('company')}
      />
    </NewForm>
  )
}
