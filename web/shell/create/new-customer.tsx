import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { addRecord } from '../../crm/records.ts'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { Amount, NewForm, SideBySide, Responsible, useAmounts, useNew } from './new.tsx'
import type { NewProps } from './new.tsx'

const monthOfDays = 30

/** A customer, and when the next purchase is due. */
export function NewCustomerForm(props: NewProps) {
  const words = useTranslations('create')
  const { me, account } = useBootstrap()
  const [values] = useState(() => ({
    name: props.text,
    next_date: dayAfter(dayAt(Date.now() / 1000, account.timezone), monthOfDays),
    next_price: '',
    responsible_user_id: String(me.id),
  }))
  const amounts = useAmounts()
  const filled = useNew(props, {
    values,
    stale: ['customers', 'search'],
    validate: {
      name: (name) => (name.trim() === '' ? words('nameMissing') : undefined),
      next_date: (date) => (date === '' ? words('dateMissing') : undefined),
      next_price: amounts.fault,
    },
    send: async ({ name, next_date, next_price, responsible_user_id }, key) => {
      const id = await addRecord(
        'customers',
        {
          name: name.trim(),
          next_date: startOfDay(next_date, account.timezone),
          ...(next_price.trim() !== '' && { next_price: amounts.amount(next_price) }),
          responsible_user_id: Number(responsible_user_id),
        },
        key,
      )
      return { type: 'customers', id, name: name.trim() }
    },
  })
  const { form } = filled
  return (
    <NewForm filled={filled} onCancel={props.onCancel}>
      <TextInput label={words('name')} data-autofocus {...form.getInputProps('name')} />
      <SideBySide>
        <TextInput
          label={words('nextDate')}
          type="date"
          max="9999-12-31"
          {...form.getInputProps('next_date')}
        />
        <Amount label={words('nextPrice')} {...form.getInputProps('next_price')} />
      </SideBySide>
      <Responsible {...form.getInputProps('responsible_user_id')} />
    </NewForm>
  )
}
