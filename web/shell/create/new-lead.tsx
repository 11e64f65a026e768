import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { addLeadWithContact, addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import styles from './create.module.css'
import { Amount, NewForm, SideBySide, Responsible, useAmounts, useNew } from './new.tsx'
import type { NewProps } from './new.tsx'
import { useCreatable } from './nouns.ts'
import { Select } from '../../ui/select.tsx'

/** The type of the stage in which unsorted leads wait. */
const unsorted = 1

/** A lead in a stage, with a new contact where one is given. */
export function NewLeadForm(props: NewProps) {
  const words = useTranslations('create')
  const { me, pipelines: all } = useBootstrap()
  const pipelines = all.filter(({ is_archive }) => !is_archive)
  const mayAddContact = useCreatable().some(({ noun }) => noun === 'contact')
  const stagesOf = (pipelineId: string) =>
    (pipelines.find(({ id }) => String(id) === pipelineId)?.statuses ?? []).filter(
      ({ type }) => type !== unsorted,
    )
  const firstStage = (pipelineId: string) => String(stagesOf(pipelineId)[0]?.id ?? '')
  const [values] = useState(() => {
    const pipeline_id = String(pipelines[0]?.id ?? '')
    return {
      name: props.text,
      pipeline_id,
      status_id: firstStage(pipeline_id),
      price: '',
      responsible_user_id: String(me.id),
      contact: '',
      phone: '',
    }
  })
  const amounts = useAmounts()
  const filled = useNew(props, {
    values,
    stale: ['leads', 'contacts', 'search'],
    validate: {
      name: (name, { contact, phone }) =>
        (name + contact + phone).trim() === '' ? words('nameMissing') : undefined,
      price: amounts.fault,
    },
    fieldOf: (path, sent) =>
      path === '_embedded.contacts.0.name' ? 'contact' : (fieldOfReachable(path, sent) ?? path),
    send: async (sent, key) => {
      const { name, price, contact, ...rest } = sent
      const lead = {
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(price.trim() !== '' && { price: amounts.amount(price) }),
        pipeline_id: Number(rest.pipeline_id),
        status_id: Number(rest.status_id),
        responsible_user_id: Number(rest.responsible_user_id),
      }
      const reachable = reachableAt(sent)
      const hasContact = contact.trim() !== '' || reachable.length > 0
      const person = {
        ...(contact.trim() !== '' && { name: contact.trim() }),
        responsible_user_id: lead.responsible_user_id,
        ...(reachable.length > 0 && { custom_fields_values: reachable }),
      }
      const id = hasContact
        ? await addLeadWithContact({ ...lead, _embedded: { contacts: [person] } }, key)
        : await addRecord('leads', lead, key)
      return { type: 'leads', id, name: lead.name ?? `#${id}` }
    },
  })
  const { form } = filled
  return (
    <NewForm filled={filled} onCancel={props.onCancel}>
      <TextInput label={words('name')} data-autofocus {...form.getInputProps('name')} />
      <SideBySide>
        <Select
          label={words('pipeline')}
          data={pipelines.map(({ id, name }) => ({ value: String(id), label: name }))}
          allowDeselect={false}
          {...form.getInputProps('pipeline_id')}
          onChange={(id) =>
            id !== null && form.setValues({ pipeline_id: id, status_id: firstStage(id) })
          }
        />
        <Select
          label={words('stage')}
          data={stagesOf(form.values.pipeline_id).map(({ id, name }) => ({
            value: String(id),
            label: name,
          }))}
          allowDeselect={false}
          {...form.getInputProps('status_id')}
        />
      </SideBySide>
      <SideBySide>
        <Amount label={words('price')} {...form.getInputProps('price')} />
        <Responsible {...form.getInputProps('responsible_user_id')} />
      </SideBySide>
      {mayAddContact && (
        <fieldset className={styles.part}>
          <legend>{words('contact')}</legend>
          <SideBySide>
            <TextInput
              label={words('contactName')}
              autoComplete="off"
              {...form.getInputProps('contact')}
            />
            <TextInput
              label={words('phone')}
              type="tel"
              autoComplete="off"
              {...form.getInputProps('phone')}
            />
          </SideBySide>
        </fieldset>
      )}
    </NewForm>
  )
}
