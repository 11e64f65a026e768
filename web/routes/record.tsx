import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Problem } from '../api.ts'
import { useBootstrap, useMayView } from '../features/bootstrap/bootstrap.ts'
import { forgetRecord, rememberRecord } from '../features/records/recent.ts'
import { recordQuery } from '../features/records/records.ts'
import type { Entity, RecordType } from '../features/records/records.ts'
import { useDay } from '../ui/day.ts'
import { Moment } from '../ui/moment.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Failure, NoRights, Rows } from '../ui/states.tsx'
import { Feed } from '../features/feed/feed.tsx'
import type { FeedHandle } from '../features/feed/feed.tsx'
import { useShortcuts } from '../shell/keyboard.tsx'
import styles from './record.module.css'

/** A lead, contact, company or customer by its address: its columns and fields, to read. */
export function Record() {
  const { id, type } = useParams({ strict: false }) as { id: string; type: RecordType }
  const mayView = useMayView(type)
  const query = useQuery({ ...recordQuery(type, id), enabled: mayView })
  const words = useTranslations('record')
  const { data, error } = query
  const name = data && (data.name || words('untitled', { id }))
  useEffect(() => {
    if (name !== undefined) rememberRecord({ type, id: Number(id), name })
    else if (error instanceof Problem && [403, 404].includes(error.status))
      forgetRecord({ type, id: Number(id) })
  }, [type, id, name, error])
  const vocabulary = useBootstrap()
  const feed = useRef<FeedHandle>(null)
  useShortcuts('Feed', [
    { keys: ['r'], text: 'Chat', run: () => feed.current?.compose('chat') },
    { keys: ['n'], text: 'Note', run: () => feed.current?.compose('note') },
    { keys: ['t'], text: 'Task', run: () => feed.current?.compose('task') },
    { keys: ['p'], text: 'Pin', run: () => feed.current?.pin() },
    { keys: ['u'], text: 'Unread', run: () => feed.current?.toUnread() },
  ])
  if (data)
    return (
      <div style={{ display: 'flex', height: '100%', minHeight: 0 }}>
        <div style={{ flex: '0 0 380px', overflow: 'auto' }} className="mantine-visible-from-md">
          <Page title={name ?? ''}>
            <Facts entity={data} />
          </Page>
        </div>
        <div style={{ flex: 1, minWidth: 0, borderLeft: '1px solid var(--border)' }}>
          <Feed
            ref={feed}
            type={type}
            id={Number(id)}
            name={name ?? ''}
            vocabulary={vocabulary}
            isReadOnly={false}
          />
        </div>
      </div>
    )
  return (
    <Page title={name ?? words(type)} about={data && words('numbered', { type: words(type), id })}>
      {!mayView && <NoRights />}
      {mayView && query.isPending && <Rows />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {data && <Facts entity={data} />}
    </Page>
  )
}

function Facts({ entity }: { entity: Entity }) {
  const words = useTranslations('record')
  const format = useFormatter()
  const day = useDay()
  const { users, pipelines, account } = useBootstrap()
  const { tags = [] } = entity._embedded
  const pipeline = pipelines.find(({ id }) => id === entity.pipeline_id)
  const stage = pipeline?.statuses.find(({ id }) => id === entity.status_id)
  const responsible = users.find(({ id }) => id === entity.responsible_user_id)
  return (
    <>
      <Section title={words('about')}>
        <dl className={styles.facts}>
          {pipeline && stage && (
            <Fact name={words('stage')}>
              <span className={styles.stage} style={{ background: stage.color }}>
                {stage.name}
              </span>
              <Text span c="dimmed">
                {pipeline.name}
              </Text>
            </Fact>
          )}
          {entity.price !== undefined && (
            <Fact name={words('price')}>
              {format.number(entity.price, {
                style: 'currency',
                currency: account.currency,
                maximumFractionDigits: 0,
              })}
            </Fact>
          )}
          {responsible && <Fact name={words('responsible')}>{responsible.name}</Fact>}
          {tags.length > 0 && (
            <Fact name={words('tags')}>
              <Group gap={4}>
                {tags.map(({ id, name }) => (
                  <Badge key={id}>{name}</Badge>
                ))}
              </Group>
            </Fact>
          )}
          <Fact name={words('created')}>
            <Moment at={entity.created_at} />
          </Fact>
          <Fact name={words('changed')}>
            <Moment at={entity.updated_at} />
          </Fact>
        </dl>
      </Section>
      {entity.custom_fields_values && (
        <Section title={words('fields')}>
          <dl className={styles.facts}>
            {entity.custom_fields_values.map(({ field_id, field_name, field_type, values }) => (
              <Fact key={field_id} name={field_name}>
                {values
                  .map(({ value }) =>
                    ['date', 'date_time', 'birthday'].includes(field_type) && Number(value)
                      ? day(Number(value))
                      : typeof value === 'string'
                        ? value
                        : JSON.stringify(value),
                  )
                  .join(', ')}
              </Fact>
            ))}
          </dl>
        </Section>
      )}
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
