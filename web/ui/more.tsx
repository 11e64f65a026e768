import { Button, Group } from '@mantine/core'
import { useTranslations } from 'use-intl'

/** The button under a list that has more pages. */
export function More({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}) {
  const words = useTranslations('ui')
  if (!hasNextPage) return undefined
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {words('more')}
      </Button>
    </Group>
  )
}
