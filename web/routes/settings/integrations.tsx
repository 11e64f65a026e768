import { useTranslations } from 'use-intl'
import { Page } from '../../ui/page.tsx'

export function Integrations() {
  const words = useTranslations('settings')
  return <Page title={words('pages.integrations')}>{undefined}</Page>
}
