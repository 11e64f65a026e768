import { Badge, Button, Group, SegmentedControl, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { onNews } from '../../data/live.ts'
import { CodeBlock } from '../../ui/code.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { DateTime, Moment } from '../../ui/moment.tsx'
import { More } from '../../ui/more.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import styles from './deliveries.module.css'
import {
  deliveriesQuery,
  deliveryQuery,
  replayAll,
  replayDelivery,
  webhookQuery,
  webhooksQuery,
} from './webhooks.ts'
import type { Delivery, DeliveryState, DeliveryWithBody } from './webhooks.ts'

const filters = {
  all: [],
  undelivered: ['failed', 'ended', 'held'],
  waiting: ['waiting'],
} as const satisfies Record<string, DeliveryState[]>
type Filter = keyof typeof filters

const colours = {
  delivered: 'success',
  waiting: 'info',
  failed: 'danger',
  ended: 'danger',
  held: 'warning',
} as const satisfies Record<DeliveryState, string>

/** How often a log is read while something in it waits for its receiver, in milliseconds. */
const waitingMs = 3000
/** A change in the account is sent within about a second. */
const sentMs = 1200

/** The deliveries to a webhook with the answers of its receiver. */
export function DeliveryLog({ id }: { id: number }) {
  const words = useTranslations('webhooks')
  const client = useQueryClient()
  const [filter, setFilter] = useState<Filter>('all')
  const [isAsking, setAsking] = useState(false)
  const query = useInfiniteQuery({
    ...deliveriesQuery(id, filters[filter]),
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.items.some(({ state }) => state === 'waiting') && data.pages.length === 1
        ? waitingMs
        : false,
  })
  useRefreshOnNews(id)
  const refresh = () => client.invalidateQueries({ queryKey: webhookQuery(id).queryKey })
  const replay = useMutation({
    mutationFn: () => replayAll(id),
    onSuccess: ({ replayed }) => {
      setAsking(false)
      say(words('replayed', { number: replayed }))
      return refresh()
    },
  })
  const deliveries = query.data
  return (
    <>
      <Group justify="space-between" gap="sm" mb="md">
        <SegmentedControl
          aria-label={words('filter')}
          value={filter}
          onChange={setFilter}
          data={(Object.keys(filters) as Filter[]).map((value) => ({
            value,
            label: words(`filters.${value}`),
          }))}
        />
        <Button variant="default" onClick={() => setAsking(true)}>
          {words('replayAll')}
        </Button>
      </Group>
      {!deliveries ? (
        <Unloaded query={query} />
      ) : deliveries.length === 0 ? (
        filter === 'all' ? (
          <Empty title={words('deliveriesEmpty')} text={words('deliveriesEmptyText')} />
        ) : (
          <Empty
            title={words('nothingMatches')}
            action={
              <Button variant="default" onClick={() => setFilter('all')}>
                {words('clearFilter')}
              </Button>
            }
          />
        )
      ) : (
        <ul className={styles.list} aria-label={words('deliveries')}>
          {deliveries.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} onReplay={refresh} />
          ))}
        </ul>
      )}
      <More query={query} />
      <Confirm
        opened={isAsking}
        title={words('replayAll')}
        text={words('replayAllText')}
        action={words('replay')}
        isPending={replay.isPending}
        error={replay.error}
        onConfirm={() => replay.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

/** Reads the log again a moment after something changed in the account. */
function useRefreshOnNews(id: number) {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onNews(({ name }) => {
      if (name !== 'change') return
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: webhookQuery(id).queryKey })
        void client.invalidateQueries({ queryKey: webhooksQuery.queryKey, exact: true })
      }, sentMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client, id])
}

function Row({ delivery, onReplay }: { delivery: Delivery; onReplay: () => Promise<unknown> }) {
  const words = useTranslations('webhooks')
  const [isOpen, setOpen] = useState(false)
  const { webhook_id, id, event, entities, state, created_at, next_attempt_at, attempts } = delivery
  const replay = useMutation({
    mutationFn: () => replayDelivery(webhook_id, id),
    onSuccess: onReplay,
    onError: ({ message }) => warn(words('replayFailed'), message),
  })
  const last = attempts.at(-1)
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <button
          type="button"
          className={styles.open}
          aria-expanded={isOpen}
          aria-keyshortcuts="Y"
          onClick={() => setOpen(!isOpen)}
          onKeyDown={({ key, ctrlKey, metaKey, altKey }) => {
            const isReplay = key.toLowerCase() === 'y' && !ctrlKey && !metaKey && !altKey
            if (isReplay && state !== 'waiting' && !replay.isPending) replay.mutate()
          }}
        >
          {isOpen ? <ChevronDown size={16} /> : <ChevronRight size={16} />}
          <span className={styles.event}>{event}</span>
          <span className={styles.entities}>
            {entities.map(({ entity_id }) => `#${entity_id}`).join(', ')}
          </span>
          <VisuallyHidden>{words('details')}</VisuallyHidden>
        </button>
        <span className={styles.answer}>
          {last && <AttemptText status={last.status} error={last.error} ms={last.duration} />}
          {next_attempt_at !== null && state === 'waiting' && last && (
            <>
              {' · '}
              {words.rich('nextAttempt', { time: () => <Moment at={next_attempt_at} /> })}
            </>
          )}
        </span>
        <span className={styles.time}>
          <DateTime at={created_at} />
        </span>
        <Badge color={colours[state]} className={styles.state}>
          {words(`states.${state}`)}
        </Badge>
        <Button
          variant="default"
          disabled={state === 'waiting'}
          loading={replay.isPending}
          aria-label={`${words('replay')}: ${event} ${id}`}
          onClick={() => replay.mutate()}
        >
          {words('replay')}
        </Button>
      </div>
      {isOpen && <Details id={webhook_id} delivery={id} />}
    </li>
  )
}

function Details({ id, delivery }: { id: number; delivery: number }) {
  const query = useQuery(deliveryQuery(id, delivery))
  return (
    <div className={styles.details}>
      {query.data ? <DeliveryText delivery={query.data} /> : <Unloaded query={query} rows={3} />}
    </div>
  )
}

/** The request of a delivery, and what was answered to each attempt. */
export function DeliveryText({ delivery }: { delivery: DeliveryWithBody }) {
  const words = useTranslations('webhooks')
  const { attempts, body, content_type } = delivery
  return (
    <Stack gap="md">
      <div>
        <Text fw={500} mb={4}>
          {words('answer')}
        </Text>
        {attempts.length === 0 ? (
          <Text c="dimmed">{words('noAttempt')}</Text>
        ) : (
          <ol className={styles.attempts}>
            {attempts.map(({ number, status, error, answer, duration, ended_at, is_counted }) => (
              <li key={number}>
                <span>{words('attempt', { number })}</span>
                <AttemptText status={status} error={error} ms={duration} />
                <span className={styles.muted}>
                  <DateTime at={ended_at} />
                </span>
                {!is_counted && <span className={styles.muted}>{words('notCounted')}</span>}
                {answer !== null && (
                  <div className={styles.body}>
                    <CodeBlock label={words('answerTo', { number })} value={answer} />
                  </div>
                )}
              </li>
            ))}
          </ol>
        )}
      </div>
      <div>
        <Text fw={500} mb={4}>
          {words('request')}
        </Text>
        <CodeBlock
          label={words('request')}
          value={`POST\nContent-Type: ${content_type}\nX-Kontor-Delivery: ${delivery.id}\n\n${readable(body, content_type)}`}
        />
      </div>
    </Stack>
  )
}

function AttemptText({ status, error, ms }: { status: number; error: string | null; ms: number }) {
  const words = useTranslations('webhooks')
  const isWell = status >= 100 && status < 300
  return (
    <span className="numbers">
      <span className={isWell ? styles.well : styles.ill}>
        {status === 0 ? (error ?? words('silence')) : status}
      </span>{' '}
      <span className={styles.muted}>{words('milliseconds', { number: ms })}</span>
    </span>
  )
}

/** JSON on several lines; a form as one line for each field. */
function readable(body: string, type: string): string {
  if (!type.includes('json'))
    return decodeURIComponent(body.replaceAll('+', ' ')).replaceAll('&', '\n')
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
