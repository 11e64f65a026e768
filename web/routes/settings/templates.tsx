import { ActionIcon, Button, Modal, TextInput, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Search, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { templatesQuery } from '../../crm/templates.ts'
import type { Template } from '../../crm/templates.ts'
import { dropTemplate, placeTemplate } from '../../features/message-templates/message-templates.ts'
import { TemplateForm } from '../../features/message-templates/template-form.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ListLine } from '../../ui/list.tsx'
import { OrderedList } from '../../ui/ordered-list.tsx'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import styles from './templates.module.css'

/** An account has at most so many. */
const mostTemplates = 500
/** A list that is longer can be searched. */
const shortList = 8

/** The messages that colleagues choose from, in the order in which they are offered. */
export function MessageTemplates() {
  const words = useTranslations('templates')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const query = useQuery(templatesQuery)
  const [edited, setEdited] = useState<number | 'new'>()
  const [leaving, setLeaving] = useState<Template>()
  const [typed, setTyped] = useState('')
  const refresh = () => client.invalidateQueries({ queryKey: templatesQuery.queryKey })
  const removal = useMutation({
    mutationFn: dropTemplate,
    onSuccess: () => setLeaving(undefined),
    onSettled: refresh,
  })
  const { data } = query
  const count = data?.length ?? 0
  const wanted = count > shortList ? typed.trim().toLocaleLowerCase() : ''
  const found = (data ?? []).filter(({ name, content }) =>
    `${name} ${content}`.toLocaleLowerCase().includes(wanted),
  )
  const close = () => setEdited(undefined)
  const button = (
    <Button
      leftSection={<Plus size={16} />}
      disabled={count >= mostTemplates}
      onClick={() => setEdited('new')}
    >
      {words('create')}
    </Button>
  )
  return (
    <PageFrame
      title={words('title')}
      about={
        <>
          {words('about')} {count > 0 && words('limit', { count, most: mostTemplates })}
        </>
      }
      actions={count > 0 && button}
    >
      {count > shortList && (
        <TextInput
          mb="md"
          maw={320}
          leftSection={<Search size={14} aria-hidden />}
          aria-label={words('search')}
          placeholder={words('search')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {!data ? (
        <Unloaded query={query} />
      ) : count === 0 ? (
        <Empty title={words('none')} text={words('noneText')} action={button} />
      ) : found.length === 0 ? (
        <p role="status">{shared('nothingFound')}</p>
      ) : (
        <OrderedList
          label={words('title')}
          items={found}
          // Between those that are found, a place would say nothing about the others.
          isFixed={wanted !== ''}
          move={async (id, before) => {
            try {
              await placeTemplate(id, before)
            } finally {
              await refresh()
            }
          }}
          row={(template) => (
            <ListLine
              name={template.name}
              // Name and actions have one line on a telephone, too.
              mark={null}
              about={
                <>
                  <span className={styles.content} dir="auto">
                    {template.content}
                  </span>
                  <Who template={template} />
                </>
              }
              actions={
                <>
                  <Tooltip label={words('edit')}>
                    <ActionIcon
                      aria-label={words('editOf', { name: template.name })}
                      onClick={() => setEdited(template.id)}
                    >
                      <Pencil size={16} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={shared('delete')}>
                    <ActionIcon
                      aria-label={words('deleteOf', { name: template.name })}
                      onClick={() => {
                        removal.reset()
                        setLeaving(template)
                      }}
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  </Tooltip>
                </>
              }
            />
          )}
        />
      )}
      <Modal
        opened={edited !== undefined}
        onClose={close}
        title={edited === 'new' ? words('create') : words('edit')}
        size={560}
        // A press beside the dialog would throw a long text away.
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {edited !== undefined && (
          <TemplateForm
            template={data?.find(({ id }) => id === edited)}
            isNew={edited === 'new'}
            onClose={close}
            onDone={() => {
              close()
              void refresh()
            }}
          />
        )}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={words('deleteText')}
        action={shared('delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => leaving && removal.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </PageFrame>
  )
}

/** Who may choose a template, where not everybody may. */
function Who({ template: { group_ids } }: { template: Template }) {
  const words = useTranslations('templates')
  const format = useFormatter()
  const { groups } = useBootstrap()
  if (group_ids === null) return null
  const names = groups.flatMap(({ id, name }) => (group_ids.includes(id) ? name : []))
  return (
    <span className={styles.who}>
      {names.length === 0 ? words('whoAdmins') : words('onlyFor', { groups: format.list(names) })}
    </span>
  )
}
