import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { PageFrame } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

export function NotFound() {
  const words = useTranslations('shell')
  return (
    <PageFrame title={words('notFound')}>
      <Empty
        title={words('notFoundText')}
        action={
          <Button component={Link} to="/">
            {words('toHome')}
          </Button>
        }
      />
    </PageFrame>
  )
}
