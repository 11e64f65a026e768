import { useTranslations } from 'use-intl'
import { Page } from '../../ui/page.tsx'

export function Channels() {
  const words = useTranslations('settings')
  return <Page title={words('pages.channels')}>{undefined}</Page>
}
