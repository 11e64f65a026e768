// The states that a screen or a part of it can be in besides showing its data.
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { CircleAlert, Inbox, Lock } from 'lucide-react'
import { createContext, use, useState } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Problem } from '../data/api.ts'
import { useProblemText } from './faults.ts'
import { useWait } from './waiting.tsx'
import styles from './states.module.css'

function State({
  icon,
  title,
  text,
  actions,
  role,
}: {
  icon: ReactNode
  title: string
  text?: ReactNode
  actions?: ReactNode
  role?: 'alert'
}) {
  return (
    <div className={styles.state} role={role}>
      <span className={styles.icon} aria-hidden>
        {icon}
      </span>
      <Text fw={600}>{title}</Text>
      {text && (
        <Text c="dimmed" maw="48ch">
          {text}
        </Text>
      )}
      {actions && (
        <Group gap="sm" mt="sm" justify="center">
          {actions}
        </Group>
      )}
    </div>
  )
}

/** Nothing is here yet: a sentence about what belongs here, and the action that brings the first. */
export const Empty = ({
  title,
  text,
  action,
}: {
  title: string
  text?: ReactNode
  action?: ReactNode
}) => <State icon={<Inbox size={20} />} title={title} text={text} actions={action} />

/** The names of the people who can grant rights; the shell knows them. */
export const GrantersContext = createContext<string[]>([])

/** More names help nobody who looks for one of them. */
const mostNamed = 3

/** The caller has no right to the part: says who can grant it. */
export function NoRights() {
  const words = useTranslations('ui')
  const format = useFormatter()
  const names = use(GrantersContext).slice(0, mostNamed)
  return (
    <State
      icon={<Lock size={20} />}
      title={words('noRights')}
      text={
        names.length === 0
          ? words('askAdministrator')
          : words('askThem', { names: format.list(names, { type: 'disjunction' }) })
      }
    />
  )
}

/** A part that could not be loaded, with what the server said and a way to try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const words = useTranslations('ui')
  const shell = useTranslations('shell')
  if (error instanceof Problem && error.status === 403) return <NoRights />
  if (error instanceof Problem && error.status === 404)
    return <Empty title={shell('notFound')} text={shell('notFoundText')} />
  return (
    <State
      role="alert"
      icon={<CircleAlert size={20} />}
      title={words('failed')}
      text={<ProblemText error={error} />}
      actions={
        retry && (
          <Button variant="default" onClick={retry}>
            {words('retry')}
          </Button>
        )
      }
    />
  )
}

/** The sentence of a problem and, on demand, its title and the id of the request. */
export function ProblemText({ error }: { error: unknown }) {
  const words = useTranslations('ui')
  const textOf = useProblemText()
  const [isOpen, setOpen] = useState(false)
  if (!(error instanceof Problem)) return String(error)
  if (error.status === 0) return words('noConnection')
  if (!error.requestId) return textOf(error)
  // It stands in paragraphs, which take no <details>.
  return (
    <>
      {textOf(error)}{' '}
      <button
        type="button"
        className={styles.more}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {words('details')}
      </button>
      {isOpen && (
        <span className={styles.details}>
          {error.status} {error.title}
          <br />
          {words('request', { id: error.requestId })}
        </span>
      )}
    </>
  )
}

/** Answers a function that says why something failed, for messages outside of the page. */
export function useRefusalText(): (error: unknown) => string {
  const words = useTranslations('ui')
  const textOf = useProblemText()
  return (error) => {
    if (!(error instanceof Problem)) return String(error)
    return error.status === 0 ? words('noConnection') : textOf(error)
  }
}

/** A refusal that belongs to no field, at the end of a form; nothing without one. */
export const ProblemAlert = ({ error }: { error: unknown }) =>
  error !== undefined &&
  error !== null && (
    <Text c="danger" role="alert">
      <ProblemText error={error} />
    </Text>
  )

/** Rows of the real height while the data come. */
export function Rows({
  number = 5,
  isWaiting = true,
}: {
  number?: number
  /** False where nothing comes: a sample of the look. */
  isWaiting?: boolean
}) {
  const words = useTranslations('ui')
  useWait('rows', isWaiting)
  return (
    <Stack gap={1} role="status" aria-label={words('loading')}>
      {Array.from({ length: number }, (_, index) => (
        <div key={index} className={styles.row}>
          <Skeleton height={12} width={`${64 - ((index * 13) % 40)}%`} />
        </div>
      ))}
    </Stack>
  )
}

/** A query without data: rows while it loads, else its failure with a way to try again. */
export const Unloaded = ({
  query: { isPending, isFetching, error, refetch },
  rows = 5,
}: {
  query: { isPending: boolean; isFetching: boolean; error: unknown; refetch: () => unknown }
  rows?: number
}) =>
  isPending ? (
    // A tab that nobody has opened yet asks for nothing.
    <Rows number={rows} isWaiting={isFetching} />
  ) : (
    <Failure error={error} retry={() => void refetch()} />
  )
