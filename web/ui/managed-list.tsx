import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { RecordList } from './list.tsx'
import { More } from './more.tsx'
import { PageFrame } from './page.tsx'
import { Empty, Unloaded } from './states.tsx'
import { StartSteps } from './steps.tsx'

/**
 * A page of settings that lists the records of one kind and makes new ones. Where there is none yet, it says what they
 * are for, in a text or in steps, and offers to make the first there.
 */
export function ManagedList<Item>({
  title,
  about,
  isWide = false,
  query,
  create,
  empty,
  above,
  row,
  children,
}: {
  title: string
  about: ReactNode
  /** For rows with much beside their name. */
  isWide?: boolean
  /** Of one page, or of several that `More` adds to each other. */
  query: { data: readonly Item[] | undefined } & ComponentProps<typeof Unloaded>['query'] &
    (ComponentProps<typeof More>['query'] | { hasNextPage?: undefined })
  create: { text: string; isDisabled?: boolean; run: () => void }
  /** Nothing where there always is a record. */
  empty?: { title: string; text: string } | Omit<ComponentProps<typeof StartSteps>, 'action'>
  /** Between the heading and the list: which records are listed. */
  above?: ReactNode
  /** A ListRow with its key. */
  row: (item: Item) => ReactNode
  /** The dialogs of the page. */
  children: ReactNode
}) {
  const { data } = query
  const start = data?.length === 0 ? empty : undefined
  const button = (
    <Button
      leftSection={<Plus size={16} />}
      disabled={create.isDisabled === true}
      onClick={create.run}
    >
      {create.text}
    </Button>
  )
  return (
    <PageFrame title={title} about={about} actions={data && !start && button} isWide={isWide}>
      {above}
      {!data ? (
        <Unloaded query={query} />
      ) : !start ? (
        <RecordList label={title}>{data.map(row)}</RecordList>
      ) : 'steps' in start ? (
        <StartSteps {...start} action={button} />
      ) : (
        <Empty {...start} action={button} />
      )}
      {query.hasNextPage !== undefined && <More query={query} />}
      {children}
    </PageFrame>
  )
}
