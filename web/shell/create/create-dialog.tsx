import { ComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { Modal } from '@mantine/core'
import { CatchBoundary } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { Failure, Rows } from '../../ui/states.tsx'
import type { Creation, Noun } from './nouns.ts'
import type { NewProps } from './new.tsx'

const forms: Record<Noun, () => Promise<{ default: ComponentType<NewProps> }>> = {
  lead: async () => ({ default: (await import('./new-lead.tsx')).NewLeadForm }),
  contact: async () => ({ default: (await import('./new-contact.tsx')).NewContactForm }),
  company: async () => ({ default: (await import('./new-company.tsx')).NewCompanyForm }),
  customer: async () => ({ default: (await import('./new-customer.tsx')).NewCustomerForm }),
  task: async () => ({ default: (await import('./new-task.tsx')).NewTaskForm }),
}

const formOf: Record<Noun, ComponentType<NewProps>> = {
  lead: lazy(part('form', forms.lead)),
  contact: lazy(part('form', forms.contact)),
  company: lazy(part('form', forms.company)),
  customer: lazy(part('form', forms.customer)),
  task: lazy(part('form', forms.task)),
}

/** Fetches the forms before somebody asks for one. */
export const fetchForms = (): void => {
  for (const fetchForm of Object.values(forms)) void fetchForm().catch(() => undefined)
}

/** The dialog that creates a record or a task. It asks before what was typed is lost. */
export function CreateDialog({
  creation,
  onClose,
}: {
  creation: Creation | undefined
  onClose: () => void
}) {
  const words = useTranslations('create')
  const ui = useTranslations('ui')
  // While the dialog fades it shows what it was opened for; each opening is a fresh form.
  const [shown, setShown] = useState<{ creation?: Creation; number: number }>({ number: 0 })
  if (creation && creation !== shown.creation) setShown({ creation, number: shown.number + 1 })
  const { noun, text = '' } = shown.creation ?? {}
  const [isDirty, setDirty] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const close = () => {
    setAsking(false)
    setDirty(false)
    onClose()
  }
  const cancel = () => (isDirty ? setAsking(true) : close())
  const Form = noun && formOf[noun]
  return (
    <>
      <Modal
        opened={creation !== undefined}
        onClose={cancel}
        title={noun && words(`titles.${noun}`)}
        size={520}
        closeOnEscape={!isAsking}
        closeButtonProps={{ 'aria-label': ui('close') }}
      >
        {Form && (
          <CatchBoundary
            getResetKey={() => shown.number}
            errorComponent={({ error }) => <Failure error={error} />}
          >
            <Suspense
              fallback={
                <>
                  <Rows number={4} />
                  <ComingField />
                </>
              }
            >
              <Form
                key={shown.number}
                text={text}
                onDirty={setDirty}
                onCancel={cancel}
                onDone={close}
              />
            </Suspense>
          </CatchBoundary>
        )}
      </Modal>
      <Confirm
        opened={isAsking}
        title={words('discard')}
        text={words('discardText')}
        action={ui('discard')}
        onConfirm={close}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
