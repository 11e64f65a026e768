import { Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { bootstrapQuery } from '../../crm/bootstrap.ts'
import { changeProfile, profileQuery } from '../../features/profile/profile.ts'
import type { Profile as Shown } from '../../features/profile/profile.ts'
import { sessionQuery } from '../../features/session/session.ts'
import { useFilled } from '../../ui/form.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Setting, Settings } from '../../ui/setting.tsx'
import { Failure, Rows } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { announceChanged } from '../../data/tabs.ts'
import { languages } from '../../words/languages.ts'

/** How others see the user, and the language of the application. */
export function ProfilePage() {
  const words = useTranslations('profile')
  const query = useQuery(profileQuery)
  return (
    <PageFrame title={words('title')} about={words('about')}>
      {query.isPending ? (
        <Rows />
      ) : query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          <PageSection title={words('you')}>
            <About profile={query.data} />
          </PageSection>
          <PageSection title={words('language')}>
            <Language profile={query.data} />
          </PageSection>
        </>
      )}
    </PageFrame>
  )
}

/** Keeps the answer of the server, which the shell shows too: the name, the language. */
function useKeep() {
  const client = useQueryClient()
  return (answer: Shown) => {
    const { name, lang } = answer
    putAnswer(client, profileQuery.queryKey, answer)
    client.setQueryData(
      bootstrapQuery.queryKey,
      (now) => now && { ...now, me: { ...now.me, name, lang } },
    )
    for (const { queryKey } of [bootstrapQuery, sessionQuery])
      void client.invalidateQueries({ queryKey })
    announceChanged('bootstrap', 'profile', 'session')
  }
}

function About({ profile }: { profile: Shown }) {
  const words = useTranslations('profile')
  const ui = useTranslations('ui')
  const keep = useKeep()
  const { form, submit, isPending, error, reset } = useFilled({
    values: { name: profile.name, phone_number: profile.phone_number ?? '' },
    validate: { name: (name) => (name.trim() === '' ? words('nameMissing') : undefined) },
    send: ({ name, phone_number }) =>
      changeProfile({ name, phone_number: phone_number.trim() || null }),
    onDone: (answer) => {
      keep(answer)
      say(ui('saved'))
    },
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" maw={420}>
        <TextInput
          label={words('name')}
          autoComplete="name"
          required
          withAsterisk={false}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={words('phone')}
          type="tel"
          autoComplete="tel"
          {...form.getInputProps('phone_number')}
        />
        <TextInput
          label={words('email')}
          description={words('emailAbout')}
          value={profile.email}
          readOnly
          variant="filled"
        />
      </Stack>
      <SaveBar isDirty={form.isDirty()} isPending={isPending} error={error} onDiscard={reset} />
    </form>
  )
}

/** Chosen and spoken at once: who cannot read the page should not look for a button. */
function Language({ profile }: { profile: Shown }) {
  const words = useTranslations('profile')
  const { mutate, ...save } = useMutation({ mutationFn: changeProfile, onSuccess: useKeep() })
  return (
    <Settings>
      <Setting title={words('languageName')} about={words('languageAbout')} save={save}>
        {(names) => (
          <Select
            {...names}
            w={200}
            allowDeselect={false}
            data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            value={save.isPending ? (save.variables.lang ?? profile.lang) : profile.lang}
            onChange={(lang) => lang && mutate({ lang: lang as Shown['lang'] })}
          />
        )}
      </Setting>
    </Settings>
  )
}
