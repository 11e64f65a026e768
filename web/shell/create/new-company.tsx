import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import { ReachInputs } from '../../ui/reach-inputs.tsx'
import { NewForm, SideBySide, Responsible, useNew } from './new.tsx'
import type { NewProps } from './new.tsx'

export function NewCompanyForm(props: NewProps) {
  const words = useTranslations('create')
  const { me } = useBootstrap()
  const [values] = useState({
    name: props.text,
    phone: '',
    email: '',
    responsible_user_id: String(me.id),
  })
  const filled = useNew(props, {
    values,
    stale: ['companies', 'search'],
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    fieldOf: (path, sent) => fieldOfReachable(path, sent) ?? path,
    send: async (sent, key) => {
      const name = sent.name.trim()
      const reachable = reachableAt(sent)
      const id = await addRecord(
        'companies',
        {
          name,
          responsible_user_id: Number(sent.responsible_user_id),
          ...(reachable.length > 0 && { custom_fields_values: reachable }),
        },
        key,
      )
      return { type: 'companies', id, name }
    },
  })
  const { form } = filled
  return (
    <NewForm filled={filled} onCancel={props.onCancel}>
      <TextInput
        label={words('name')}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <SideBySide>
        <ReachInputs form={form} phone={words('phone')} email={words('email')} />
      </SideBySide>
      <Responsible {...form.getInputProps('responsible_user_id')} />
    </NewForm>
  )
}
