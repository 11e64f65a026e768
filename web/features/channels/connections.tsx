import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { RecordList, ListRow } from '../../ui/list.tsx'
import { DateTime, Moment } from '../../ui/moment.tsx'
import { PageSection } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { connectionsQuery } from './channels.ts'

/** The accounts that a channel is connected to, and why callbacks failed. */
export function ConnectionList({ id }: { id: string }) {
  const words = useTranslations('channels')
  const query = useQuery(connectionsQuery(id))
  const connections = query.data
  return (
    <PageSection title={words('connections')} about={words('connectionsAbout')}>
      {!connections ? (
        <Unloaded query={query} rows={3} />
      ) : connections.length === 0 ? (
        <Empty title={words('connectionsEmpty')} text={words('connectionsEmptyText')} />
      ) : (
        <RecordList label={words('connections')}>
          {connections.map((each) => (
            <ListRow
              key={each.scope_id}
              name={each.title || each.channel_name}
              about={
                <>
                  <span>{each.scope_id}</span>
                  <span>{words('hookVersion', { version: each.hook_api_version })}</span>
                  <span>
                    {each.disconnected_at === null
                      ? words.rich('connectedAt', {
                          time: () => <DateTime at={each.connected_at} />,
                        })
                      : words.rich('disconnectedAt', {
                          time: () => <DateTime at={each.disconnected_at ?? 0} />,
                        })}
                  </span>
                  {!each.has_hook && <span>{words('noHook')}</span>}
                </>
              }
              side={
                <Badge color={each.is_connected ? 'success' : 'gray'}>
                  {words(each.is_connected ? 'connected' : 'disconnected')}
                </Badge>
              }
            >
              {each.last_error !== null && (
                <Text c="danger" size="sm" mt={4}>
                  {each.last_error}{' '}
                  {each.last_error_at !== null && <Moment at={each.last_error_at} />}
                </Text>
              )}
            </ListRow>
          ))}
        </RecordList>
      )}
    </PageSection>
  )
}
