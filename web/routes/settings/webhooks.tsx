import { useTranslations } from 'use-intl'
import { Page } from '../../ui/page.tsx'

export function Webhooks() {
  const words = useTranslations('settings')
  return <Page title={words('pages.webhooks')}>{undefined}</Page>
}
