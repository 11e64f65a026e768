import { useTranslations } from 'use-intl'
import { useSession } from '../features/session/session.ts'
import { Page } from '../ui/page.tsx'

export function Home() {
  const words = useTranslations('shell')
  const { account } = useSession()
  return <Page title={account.name}>{words('home')}</Page>
}
