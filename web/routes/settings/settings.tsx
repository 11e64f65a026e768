import { TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link, Navigate, Outlet, useChildMatches, useNavigate } from '@tanstack/react-router'
import { ChevronLeft, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSession } from '../../features/session/session.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, NoRights } from '../../ui/states.tsx'
import { SettingsWords } from '../../words/words.tsx'
import { pageIcons } from './icons.ts'
import { groups, pages, settingsAt } from './pages.ts'
import type { SettingsPage } from './pages.ts'
import styles from './settings.module.css'

/** The pages that the user may open. */
function useAllowed(): SettingsPage[] {
  const { user } = useSession()
  return pages.filter(({ isForAdmins }) => user.is_admin || !isForAdmins)
}

const usePhone = () =>
  useMediaQuery('(max-width: 56.25em)', undefined, { getInitialValueInEffect: false })

/** The frame of settings: the list of pages beside the page; on phones first one, then the other. */
export const SettingsScreen = () => (
  <SettingsWords>
    <Frame />
  </SettingsWords>
)

function Frame() {
  const words = useTranslations('settings')
  // The page that is shown: the address is ahead of it while the next page loads.
  const pathname = useChildMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' })
  const isPhone = usePhone()
  const allowed = useAllowed()
  const [, , path = '', id] = pathname.split('/')
  const isRefused = pages.some((page) => page.path === path && !allowed.includes(page))
  if (isPhone && path === '')
    return (
      <PageFrame title={words('title')}>
        <List allowed={allowed} />
      </PageFrame>
    )
  return (
    <div className={styles.frame}>
      {isPhone && id === undefined && (
        <Link to={settingsAt()} className={styles.back}>
          <ChevronLeft size={16} aria-hidden />
          {words('title')}
        </Link>
      )}
      {!isPhone && (
        <div className={styles.side}>
          <p className={styles.heading}>{words('title')}</p>
          <List allowed={allowed} />
        </div>
      )}
      <div className={styles.content}>
        {isRefused ? (
          <PageFrame title={words(`pages.${path as SettingsPage['path']}`)}>
            <NoRights />
          </PageFrame>
        ) : (
          <Outlet />
        )}
      </div>
    </div>
  )
}

/** `/settings` is the first page, except on phones, where it is the list. */
export function FirstPage() {
  const words = useTranslations('settings')
  const isPhone = usePhone()
  const [first] = useAllowed()
  if (isPhone) return undefined
  if (first) return <Navigate to={settingsAt(first.path)} replace />
  return (
    <PageFrame title={words('title')}>
      <Empty title={words('empty')} />
    </PageFrame>
  )
}

function PageIcon({ path }: Pick<SettingsPage, 'path'>) {
  const Icon = pageIcons[path]
  return <Icon size={16} aria-hidden />
}

function List({ allowed }: { allowed: SettingsPage[] }) {
  const words = useTranslations('settings')
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const wanted = text.toLocaleLowerCase().split(/\s+/)
  const found = allowed.filter(({ path, group }) => {
    const known = [words(`pages.${path}`), words(`find.${path}`), words(`groups.${group}`)]
    const all = known.join(' ').toLocaleLowerCase()
    return wanted.every((word) => all.includes(word))
  })
  return (
    <nav aria-label={words('title')} className={styles.list}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          if (found[0]) void navigate({ to: settingsAt(found[0].path) })
        }}
      >
        <TextInput
          type="search"
          aria-label={words('search')}
          placeholder={words('search')}
          leftSection={<Search size={16} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || text === '') return
            event.preventDefault()
            setText('')
          }}
        />
      </form>
      {groups.map((group) => {
        const members = found.filter((page) => page.group === group)
        if (members.length === 0) return undefined
        return (
          <section key={group} aria-label={words(`groups.${group}`)}>
            <p className={styles.group}>{words(`groups.${group}`)}</p>
            <ul>
              {members.map(({ path }) => (
                <li key={path}>
                  <Link to={settingsAt(path)} className={styles.entry}>
                    <PageIcon path={path} />
                    {words(`pages.${path}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      <p role="status" className={styles.none}>
        {found.length === 0 && words('none')}
      </p>
    </nav>
  )
}
