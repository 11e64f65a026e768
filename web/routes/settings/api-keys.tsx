import { useTranslations } from 'use-intl'
import { Page } from '../../ui/page.tsx'

export function ApiKeys() {
  const words = useTranslations('settings')
  return <Page title={words('pages.api-keys')}>{undefined}</Page>
}
