// The dialog in which an administrator writes a template: its name, its text with places for what is known of the
// client, how that reads, and who may choose it.
import { Alert, Button, Menu, MultiSelect, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { Braces } from 'lucide-react'
import { useId, useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ChatTemplateChange } from '../../../server/features/conversations/chats/templates/schema.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { partsOfTemplate } from '../../crm/templates.ts'
import type { Template, TemplatePlaceholder, TemplateValues } from '../../crm/templates.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { useFilled } from '../../ui/form.ts'
import { addTemplate, rewriteTemplate } from './message-templates.ts'
import styles from './template-form.module.css'

/** Characters. */
const longest = { name: 255, content: 20_000 }

interface TemplateDraft extends Record<string, unknown> {
  name: string
  content: string
  for: 'all' | 'groups'
  /** The ids as a MultiSelect has them; they count for `groups` alone. */
  group_ids: string[]
}

const draftOf = (template: Template | undefined): TemplateDraft => ({
  name: template?.name ?? '',
  content: template?.content ?? '',
  for: template?.group_ids ? 'groups' : 'all',
  group_ids: (template?.group_ids ?? []).map(String),
})

type Members = Required<Pick<ChatTemplateChange, 'name' | 'content' | 'group_ids'>>

const membersOf = (draft: TemplateDraft): Members => ({
  name: draft.name.trim(),
  content: draft.content,
  group_ids:
    draft.for === 'all' ? null : draft.group_ids.map(Number).toSorted((one, other) => one - other),
})

const isSame = (one: Members[keyof Members], other: Members[keyof Members]) =>
  JSON.stringify(one) === JSON.stringify(other)

export function TemplateForm({
  template,
  isNew,
  onClose,
  onDone,
}: {
  /** As the server has it now; undefined for a new one, and once somebody has deleted it. */
  template: Template | undefined
  isNew: boolean
  onClose: () => void
  onDone: () => void
}) {
  const words = useTranslations('templates')
  const shared = useTranslations('ui')
  const format = useFormatter()
  const id = useId()
  const { groups } = useBootstrap()
  const example = useExample()
  const field = useRef<HTMLTextAreaElement>(null)
  const cursorAfter = useRef<number>(undefined)
  /** The template as the user saw it when the first letter was typed. */
  const begun = useRef(membersOf(draftOf(template)))
  const seen = useRef(template)
  if (template) seen.current = template
  const isGone = !isNew && template === undefined
  const { form, submit, isPending, error } = useFilled<TemplateDraft, unknown>({
    values: draftOf(template ?? seen.current),
    validate: {
      name: (name) => (name.trim() === '' ? words('nameMissing') : undefined),
      content: (content) => {
        if (content.trim() === '') return words('contentMissing')
        const stranger = strangerIn(content, example)
        return stranger === undefined ? undefined : words('stranger', { text: stranger })
      },
    },
    send: (filled) => {
      const members = membersOf(filled)
      if (isNew || isGone) return addTemplate(members)
      const change = changedSince(begun.current, members)
      return Object.keys(change).length > 0
        ? rewriteTemplate(seen.current!.id, change)
        : Promise.resolve()
    },
    onDone,
  })
  if (template && !form.isDirty()) begun.current = membersOf(draftOf(template))
  useLayoutEffect(() => {
    if (cursorAfter.current === undefined) return
    field.current?.focus()
    field.current?.setSelectionRange(cursorAfter.current, cursorAfter.current)
    cursorAfter.current = undefined
  }, [form.values.content])

  const wanted = membersOf(form.values)
  const now = template && membersOf(draftOf(template))
  const isLate = (member: keyof Members) =>
    now !== undefined &&
    [begun.current[member], wanted[member]].every((value) => !isSame(value, now[member])) &&
    !isSame(begun.current[member], wanted[member])
  const nameOfGroup = (of: number) => groups.find((group) => group.id === of)?.name ?? ''
  const overtaken = (member: keyof Members, text: string): ReactNode =>
    isLate(member) ? (
      <Alert role="alert" mt="xs">
        {words('overtaken', { value: text })}
      </Alert>
    ) : undefined
  const insert = (name: TemplatePlaceholder) => {
    const { content } = form.values
    const text = `{{${name}}}`
    const { selectionStart: from, selectionEnd: to } = field.current ?? {
      selectionStart: content.length,
      selectionEnd: content.length,
    }
    cursorAfter.current = from + text.length
    form.setFieldValue('content', content.slice(0, from) + text + content.slice(to))
  }
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onClose}
      action={isNew || isGone ? words('create') : shared('save')}
      isPending={isPending}
      error={error}
    >
      {isGone && (
        <Alert role="alert" mb="md">
          {words('gone')}
        </Alert>
      )}
      <TextInput
        label={words('name')}
        description={words('nameAbout')}
        maxLength={longest.name}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {overtaken('name', now?.name ?? '')}
      <div className={styles.head}>
        <label htmlFor={`${id}-content`}>
          {words('content')}{' '}
          <span className={styles.star} aria-hidden>
            *
          </span>
        </label>
        <Menu position="bottom-end" returnFocus={false}>
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<Braces size={14} aria-hidden />}
            >
              {words('insert')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(Object.keys(example) as TemplatePlaceholder[]).map((name) => (
              <Menu.Item key={name} onClick={() => insert(name)}>
                {words(`placeholders.${keyOf(name)}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <Textarea
        ref={field}
        id={`${id}-content`}
        autosize
        minRows={4}
        maxRows={12}
        dir="auto"
        required
        maxLength={longest.content}
        description={
          form.values.content.length > longest.content * 0.9 &&
          words('length', { length: form.values.content.length, most: longest.content })
        }
        {...form.getInputProps('content')}
      />
      {overtaken('content', (now?.content ?? '').slice(0, 200))}
      <section className={styles.preview} aria-label={words('preview')}>
        <h3>{words('preview')}</h3>
        <p className={styles.shown} dir="auto">
          {form.values.content.trim() === '' ? (
            <span className={styles.empty}>{words('previewEmpty')}</span>
          ) : (
            partsOfTemplate(form.values.content, example).map(({ text, name }, index) =>
              name === undefined ? (
                text
              ) : (
                // Parts have no names of their own, and are drawn anew with each letter.
                // oxlint-disable-next-line react/no-array-index-key
                <mark key={index} className={styles.value}>
                  {example[name]}
                </mark>
              ),
            )
          )}
        </p>
      </section>
      <Radio.Group
        mt="md"
        label={words('who')}
        value={form.values.for}
        onChange={(to) => form.setFieldValue('for', to)}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={words('whoAll')} />
          <Radio value="groups" label={words('whoGroups')} />
        </Stack>
      </Radio.Group>
      {form.values.for === 'groups' && (
        <MultiSelect
          mt="md"
          label={words('groups')}
          description={words('groupsAbout')}
          searchable
          // Below it stands the button that saves.
          comboboxProps={{ position: 'top' }}
          data={groups.map((group) => ({ value: String(group.id), label: group.name }))}
          {...form.getInputProps('group_ids')}
        />
      )}
      {overtaken(
        'group_ids',
        now?.group_ids === null
          ? words('whoAll')
          : now?.group_ids.length === 0
            ? words('whoAdmins')
            : format.list((now?.group_ids ?? []).map(nameOfGroup)),
      )}
    </DialogForm>
  )
}

/** What differs from what the user saw: a colleague's change of the rest stays. */
function changedSince(begun: Members, wanted: Members): Partial<Members> {
  const names = (Object.keys(wanted) as (keyof Members)[]).filter(
    (name) => !isSame(begun[name], wanted[name]),
  )
  return Object.fromEntries(names.map((name) => [name, wanted[name]]))
}

/** The first thing in double braces that nothing is known of. */
const strangerIn = (content: string, values: TemplateValues): string | undefined =>
  partsOfTemplate(content, values)
    .flatMap(({ text, name }) => (name === undefined ? (/^\{\{[^{}]*\}\}$/.exec(text) ?? []) : []))
    .at(0)

/** The key of its text: a dot would be a level of the words. */
const keyOf = <Name extends TemplatePlaceholder>(name: Name) =>
  name.replace('.', '_') as Name extends `${infer Of}.${infer Member}` ? `${Of}_${Member}` : never

/** The example values of a text for a client, with the names of the user and of the account. */
function useExample(): TemplateValues {
  const words = useTranslations('templates')
  const { me, account } = useBootstrap()
  return {
    'contact.first_name': words('example.contact_first_name'),
    'contact.name': words('example.contact_name'),
    'record.name': words('example.record_name'),
    'user.name': me.name,
    'account.name': account.name,
  }
}
