import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { Calls } from '../../ui/calls.tsx'
import { PageSection } from '../../ui/page.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { channelCallsQuery } from './channels.ts'

/** How often the console is read while somebody looks at it, in milliseconds. */
const lookMs = 3000

/** The latest requests in both directions, and why some were refused. */
export function ChannelConsole({ id, isSeen }: { id: string; isSeen: boolean }) {
  const words = useTranslations('channels')
  const query = useQuery({ ...channelCallsQuery(id), enabled: isSeen, refetchInterval: lookMs })
  return (
    <PageSection title={words('console')} about={words('consoleAbout')}>
      {query.data ? (
        <Calls
          label={words('console')}
          calls={query.data}
          empty={words('consoleEmpty')}
          emptyText={words('consoleEmptyText')}
        />
      ) : (
        <Unloaded query={query} />
      )}
    </PageSection>
  )
}
