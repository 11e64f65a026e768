import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { Calls } from '../../ui/calls.tsx'
import { PageSection } from '../../ui/page.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { callsQuery } from './integrations.ts'

/** How often the log is read while somebody looks at it, in milliseconds. */
const lookMs = 5000

/** The latest calls of an integration, for those who look for a fault in a program. */
export function IntegrationCalls({ id, isSeen }: { id: string; isSeen: boolean }) {
  const words = useTranslations('integrations')
  const query = useQuery({ ...callsQuery(id), enabled: isSeen, refetchInterval: lookMs })
  return (
    <PageSection title={words('log')} about={words('logAbout')}>
      {query.data ? (
        <Calls
          label={words('log')}
          calls={query.data.map((call) => ({
            ...call,
            about: `${call.user_name} · ${words('rate', { number: call.rate })}`,
          }))}
          empty={words('logEmpty')}
          emptyText={words('logEmptyText')}
        />
      ) : (
        <Unloaded query={query} />
      )}
    </PageSection>
  )
}
