import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { PasswordForm } from '../../features/passwords/password-form.tsx'
import { SecondFactorPart } from '../../features/second-factor/second-factor-part.tsx'
import {
  ownSessionsQuery,
  SessionList,
  SignOutEverywhere,
} from '../../features/session/session-list.tsx'
import { useSession } from '../../features/session/session.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { say } from '../../ui/toasts.ts'

/** How the user signs in, and where. */
export function Security() {
  const words = useTranslations('security')
  const client = useQueryClient()
  const { user } = useSession()
  return (
    <PageFrame title={words('title')} about={words('about')}>
      <PageSection title={words('password')} about={words('changeAbout')}>
        <PasswordForm
          email={user.email}
          onDone={() => {
            say(words('changed'))
            void client.invalidateQueries({ queryKey: ownSessionsQuery.queryKey })
          }}
        />
      </PageSection>
      <PageSection title={words('secondFactor')} about={words('secondFactorAbout')}>
        <SecondFactorPart />
      </PageSection>
      <PageSection
        title={words('sessions')}
        about={words('sessionsAbout')}
        actions={<SignOutEverywhere />}
      >
        <SessionList />
      </PageSection>
    </PageFrame>
  )
}
