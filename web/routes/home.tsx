import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap, useMayView, countersQuery } from '../crm/bootstrap.ts'
import { latestQuery } from '../crm/latest.ts'
import { Moment } from '../ui/moment.tsx'
import { PageFrame, PageSection } from '../ui/page.tsx'
import { Empty, Failure, NoRights, Rows } from '../ui/states.tsx'
import { StepsOfAccount } from './first-steps.tsx'
import styles from './home.module.css'

/** The numbers of the day, and the leads that changed last. */
export function Home() {
  const words = useTranslations('home')
  const { me } = useBootstrap()
  const mayView = useMayView('leads')
  return (
    <PageFrame title={words('hello', { name: me.name })} isWide>
      <StepsOfAccount />
      <Numbers />
      <PageSection title={words('latest')}>{mayView ? <Latest /> : <NoRights />}</PageSection>
    </PageFrame>
  )
}

function Numbers() {
  const words = useTranslations('home')
  const { data } = useQuery(countersQuery)
  const numbers = [
    ['overdue', data?.tasks.overdue, undefined],
    ['today', data?.tasks.today, undefined],
    // The board has them as its first column.
    ['unsorted', data?.unsorted, '/leads'],
    ['chats', data?.chats, undefined],
  ] as const
  return (
    <dl className={styles.numbers}>
      {numbers.map(([name, number, to]) => (
        <div
          key={name}
          className={styles.number}
          data-bad={(name === 'overdue' && !!number) || undefined}
        >
          <dt>{words(name)}</dt>
          <dd>
            {to ? (
              <Link to={to} aria-label={`${words(name)}: ${number ?? '–'}`}>
                {number ?? '–'}
              </Link>
            ) : (
              (number ?? '–')
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Latest() {
  const words = useTranslations('home')
  const format = useFormatter()
  const { account, pipelines, users } = useBootstrap()
  const query = useQuery(latestQuery)
  if (query.isPending) return <Rows number={10} />
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  if (query.data.length === 0) return <Empty title={words('none')} text={words('noneText')} />
  return (
    <ul className={styles.list}>
      {query.data.map((lead) => {
        const stages = pipelines.find(({ id }) => id === lead.pipeline_id)?.statuses
        const stage = stages?.find(({ id }) => id === lead.status_id)
        return (
          <li key={lead.id} className={styles.lead}>
            <Link to="/$type/$id" params={{ type: 'leads', id: String(lead.id) }}>
              {lead.name || `#${lead.id}`}
            </Link>
            <span className={styles.stage}>
              <span style={{ background: stage?.color }} />
              {stage?.name}
            </span>
            <span className={styles.price}>
              {format.number(lead.price ?? 0, {
                style: 'currency',
                currency: account.currency,
                maximumFractionDigits: 0,
              })}
            </span>
            <span className={styles.who}>
              {users.find(({ id }) => id === lead.responsible_user_id)?.name}
            </span>
            <span className={styles.when}>
              <Moment at={lead.updated_at} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
