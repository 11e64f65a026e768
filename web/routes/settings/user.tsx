import { Badge, Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { putAnswer } from '../../data/answers.ts'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { groupsQuery } from '../../features/groups/groups.ts'
import { useRightsDraft } from '../../features/roles/draft.ts'
import { StageExceptions } from '../../features/roles/exceptions.tsx'
import { ListsAccess } from '../../features/roles/lists.tsx'
import { RightsMatrix } from '../../features/roles/matrix.tsx'
import { RightsPreview } from '../../features/roles/preview.tsx'
import { rolesQuery } from '../../features/roles/roles.ts'
import { useSession } from '../../features/session/session.ts'
import { Handover } from '../../features/users/handover.tsx'
import { languages } from '../../words/languages.ts'
import {
  changeUser,
  makeResetLink,
  removeSecondFactor,
  signInsQuery,
  switchUser,
  userQuery,
} from '../../features/users/users.ts'
import type { ResetLink, User as Shown } from '../../features/users/users.ts'
import { Problem } from '../../data/api.ts'
import { CopyField } from '../../ui/copy.tsx'
import { useFilled } from '../../ui/form.ts'
import { DateTime } from '../../ui/moment.tsx'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { ProofDialog } from '../../ui/proof.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { ProblemText, Unloaded } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import { settingsAt, useRecordId } from './pages.ts'
import { useStages } from './stages.ts'
import { Select } from '../../ui/select.tsx'

const ownRights = 'own'

const valuesOf = ({ name, lang, rights: { group_id, is_admin, role_id } }: Shown) => ({
  name,
  lang,
  group_id: String(group_id),
  is_admin,
  role_id: role_id === null ? ownRights : String(role_id),
})

/** A user: the person, the access, and the ways to sign in. */
export function UserPage() {
  const words = useTranslations('users')
  const query = useQuery(userQuery(useRecordId()))
  if (query.data) return <Loaded key={query.data.id} user={query.data} />
  return (
    <PageFrame title={words('person')} up={{ to: settingsAt('users'), title: words('title') }}>
      <Unloaded query={query} />
    </PageFrame>
  )
}

function Loaded({ user }: { user: Shown }) {
  const words = useTranslations('users')
  const { is_active } = user.rights
  return (
    <PageFrame
      title={user.name}
      about={user.email}
      up={{ to: settingsAt('users'), title: words('title') }}
      actions={!is_active && <Badge color="gray">{words('deactivated')}</Badge>}
    >
      <Properties user={user} />
      <Access user={user} />
      <SignIn user={user} />
    </PageFrame>
  )
}

/** Puts a changed user into the queries, and has those asked again that show users. */
function usePut(id: number) {
  const client = useQueryClient()
  return (changed?: Shown) => {
    if (changed) putAnswer(client, userQuery(String(id)).queryKey, changed)
    else void client.invalidateQueries({ queryKey: ['users', String(id)] })
    void client.invalidateQueries({ queryKey: ['users'], exact: true })
    for (const key of ['groups', 'roles', 'bootstrap'])
      void client.invalidateQueries({ queryKey: [key] })
  }
}

function Properties({ user }: { user: Shown }) {
  const words = useTranslations('users')
  const client = useQueryClient()
  const { user: me } = useSession()
  const put = usePut(user.id)
  const roles = useQuery(rolesQuery).data ?? []
  const groups = useQuery(groupsQuery).data ?? []
  const { form, submit, isPending, error, notice, reset } = useFilled({
    values: valuesOf(user),
    present: async () =>
      valuesOf(await client.fetchQuery({ ...userQuery(String(user.id)), staleTime: 0 })),
    send: ({ name, lang, group_id, is_admin, role_id }) =>
      changeUser(user.id, {
        name,
        lang,
        group_id: Number(group_id),
        is_admin,
        role_id: role_id === ownRights ? null : Number(role_id),
      }),
    onDone: (changed) => {
      put(changed)
      // The shell shows one's own name, language and rights.
      if (user.id === me.id) void client.invalidateQueries({ queryKey: ['session'] })
      say(words('saved'))
    },
  })
  return (
    <PageSection title={words('person')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={400}>
          <TextInput
            label={words('name')}
            maxLength={50}
            required
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Select
            label={words('language')}
            data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('lang')}
          />
          <Select
            label={words('group')}
            data={groups.map(({ id, name }) => ({ value: String(id), label: name }))}
            allowDeselect={false}
            {...form.getInputProps('group_id')}
          />
          <Switch
            label={words('admin')}
            description={words('adminAbout')}
            {...form.getInputProps('is_admin', { type: 'checkbox' })}
          />
          {!form.values.is_admin && (
            <Select
              label={words('role')}
              description={words('roleOrOwn')}
              data={[
                ...roles.map(({ id, name }) => ({ value: String(id), label: name })),
                { value: ownRights, label: words('ownRights') },
              ]}
              allowDeselect={false}
              {...form.getInputProps('role_id')}
            />
          )}
        </Stack>
        <SaveBar
          isDirty={form.isDirty()}
          isPending={isPending}
          error={error}
          notice={notice}
          onDiscard={reset}
        />
      </form>
    </PageSection>
  )
}

/** The rights of a user without a role are the user's own; others are shown. */
function Access({ user }: { user: Shown }) {
  const words = useTranslations('users')
  const client = useQueryClient()
  const stages = useStages()
  const { is_admin, is_free, role_id } = user.rights
  const draft = useRightsDraft(user.rights, async (rights) => {
    const changed = await changeUser(user.id, { rights })
    putAnswer(client, userQuery(String(user.id)).queryKey, changed)
  })
  if (is_admin || is_free)
    return (
      <PageSection title={words('rights')}>
        <Text c="dimmed">{words(is_admin ? 'adminMayAll' : 'freeMayNothing')}</Text>
      </PageSection>
    )
  if (role_id !== null)
    return (
      <PageSection title={words('rights')} about={words('rightsOfRole')}>
        <RightsPreview rights={user.rights} stages={stages} />
      </PageSection>
    )
  return (
    <>
      <PageSection title={words('ownRights')} about={words('ownRightsAbout')}>
        <RightsMatrix draft={draft} />
        <ListsAccess draft={draft} />
      </PageSection>
      <PageSection title={words('exceptions')}>
        <StageExceptions draft={draft} stages={stages} />
      </PageSection>
      <PageSection title={words('sees')}>
        <RightsPreview rights={draft.rights} stages={stages} />
      </PageSection>
    </>
  )
}

function SignIn({ user }: { user: Shown }) {
  const words = useTranslations('users')
  const madeBy = useQuery(signInsQuery).data?.get(user.id)?.made_by
  const shared = useTranslations('ui')
  const put = usePut(user.id)
  const { user: me } = useSession()
  const [open, setOpen] = useState<'reset' | 'factor' | 'handover' | 'deactivate'>()
  const { is_active } = user.rights
  const failed = (error: unknown) => warn(shared('failed'), <ProblemText error={error} />)
  const [link, setLink] = useState<ResetLink>()
  const activate = useMutation({
    mutationFn: () => switchUser(user.id, true),
    onSuccess: () => put(),
    onError: failed,
  })
  const { users } = useBootstrap()
  const dialog = (open === 'deactivate' || open === 'handover') && (
    <Handover
      user={user}
      deactivates={open === 'deactivate'}
      colleagues={users
        .filter(({ id, is_active: isActive }) => isActive && id !== user.id)
        .map(({ id, name }) => ({ value: String(id), label: name }))}
      onClose={() => {
        setOpen(undefined)
        // It may have stopped on the way.
        put()
      }}
      onDone={(number) => {
        setOpen(undefined)
        put()
        if (number > 0) say(words('handed', { number }))
      }}
    />
  )
  if (user.id === me.id)
    return (
      <PageSection title={words('signIn')}>
        <Text c="dimmed">{words('signInOwn')}</Text>
      </PageSection>
    )
  if (!is_active)
    return (
      <PageSection title={words('signIn')} about={words('deactivatedAbout')}>
        <Stack gap="lg">
          <Action text={words('handOverAbout')}>
            <Button variant="default" onClick={() => setOpen('handover')}>
              {words('handOver')}
            </Button>
          </Action>
          <Action text={words('activateAbout')}>
            <Button loading={activate.isPending} onClick={() => activate.mutate()}>
              {words('activate')}
            </Button>
          </Action>
        </Stack>
        {dialog}
      </PageSection>
    )
  return (
    <PageSection
      title={words('signIn')}
      {...(madeBy && { about: words('madeBy', { name: madeBy.name }) })}
    >
      <Stack gap="lg">
        <Action text={words('resetAbout')}>
          <Button variant="default" onClick={() => setOpen('reset')}>
            {words('reset')}
          </Button>
        </Action>
        <Action text={words('factorAbout')}>
          <Button variant="default" onClick={() => setOpen('factor')}>
            {words('removeFactor')}
          </Button>
        </Action>
        <Action text={words('handOverAbout')}>
          <Button variant="default" onClick={() => setOpen('handover')}>
            {words('handOver')}
          </Button>
        </Action>
        <Action text={words('deactivateAbout')}>
          <Button variant="default" c="danger" onClick={() => setOpen('deactivate')}>
            {words('deactivate')}
          </Button>
        </Action>
      </Stack>
      <ProofDialog
        opened={open === 'reset'}
        title={words('reset')}
        text={words('resetAbout')}
        action={words('makeLink', { number: 1 })}
        send={(proof) => makeResetLink(user.id, proof)}
        onDone={(made) => {
          setOpen(undefined)
          setLink(made)
        }}
        onClose={() => setOpen(undefined)}
      />
      <Modal
        opened={link !== undefined}
        onClose={() => setLink(undefined)}
        title={words('resetFor', { name: user.name })}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {link && (
          <Stack gap="md">
            <Text>{words('resetText')}</Text>
            <CopyField label={words('link')} value={link.url} />
            <Text c="dimmed" size="xs">
              {words.rich('linkUntil', { time: () => <DateTime at={link.expires_at} /> })}
            </Text>
            <Group justify="flex-end">
              <Button onClick={() => setLink(undefined)} data-autofocus>
                {words('done')}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
      <ProofDialog
        opened={open === 'factor'}
        title={words('removeFactor')}
        text={words('factorText', { name: user.name })}
        action={words('remove')}
        send={(proof) => removeSecondFactor(user.id, proof).then(() => true, isNotFound)}
        onDone={(isRemoved) => {
          setOpen(undefined)
          say(isRemoved ? words('factorRemoved') : words('factorNone', { name: user.name }))
        }}
        onClose={() => setOpen(undefined)}
      />
      {dialog}
    </PageSection>
  )
}

/** The server says "not found" for a user without a second factor, too. Throws any other refusal. */
function isNotFound(refusal: unknown): false {
  if (refusal instanceof Problem && refusal.status === 404) return false
  throw refusal
}

/** A button with what it does beside it. */
const Action = ({ text, children }: { text: string; children: React.ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Text c="dimmed" maw="52ch" flex="1 1 240px">
      {text}
    </Text>
    {children}
  </Group>
)
