import { Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { accountSettingsQuery, weekdayNames } from '../../features/account/account.ts'
import type {
  SettingsOfAccount,
  AccountValueName,
  AccountValues,
} from '../../features/account/account.ts'
import { useAccountChanges } from '../../features/account/changes.tsx'
import type { AccountChanges } from '../../features/account/changes.tsx'
import { currencyChoices, dayName, zoneChoices, zoneText } from '../../features/account/choices.ts'
import { hoursFault, hoursText, WorkingHoursEditor } from '../../features/account/hours.tsx'
import { LogoSetting } from '../../features/account/logo.tsx'
import { Problem } from '../../data/api.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { ConflictNotice } from '../../ui/conflict.tsx'
import { useFaultText } from '../../ui/faults.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Setting, Settings } from '../../ui/setting.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { languages } from '../../words/languages.ts'
import styles from './general.module.css'

/** The settings that wait for Save; the others are saved as they are chosen. */
const typedNames: readonly AccountValueName[] = ['name', ...weekdayNames]

/** What holds for everybody of the account. */
export function General() {
  const words = useTranslations('general')
  const query = useQuery(accountSettingsQuery)
  return (
    <PageFrame title={words('title')} about={words('about')}>
      {query.data ? <Sections settings={query.data} /> : <Unloaded query={query} />}
    </PageFrame>
  )
}

function Sections({ settings }: { settings: SettingsOfAccount }) {
  const words = useTranslations('general')
  const changes = useAccountChanges(settings, typedNames)
  const conflicts = useConflicts(settings, changes)
  const textOf = useFaultText()
  const [isTried, setTried] = useState(false)
  const isDirty = typedNames.some(changes.isTyped)
  const name = changes.value('name')
  const nameMissing = isTried && name.trim() === '' ? words('nameMissing') : undefined
  const { error } = changes.save(typedNames.find(changes.isTyped) ?? 'name')
  const faults = error instanceof Problem ? error.faults : []
  const nameFault = faults.find(({ path }) => path === 'name')
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        const isWrong =
          name.trim() === '' ||
          weekdayNames.some((day) => changes.isTyped(day) && hoursFault(changes.value(day)))
        if (!isWrong) changes.send(typedNames.filter(changes.isTyped))
        else {
          // The page is long: the fault may stand far from the button.
          const faulty = name.trim() === '' ? '[autocomplete=organization]' : '[data-faulty] input'
          event.currentTarget.querySelector<HTMLInputElement>(faulty)?.focus()
        }
      }}
    >
      <PageSection title={words('account')}>
        <Stack gap="lg">
          <div className={styles.field}>
            <TextInput
              label={words('name')}
              description={words('nameAbout')}
              autoComplete="organization"
              maxLength={255}
              value={name}
              error={nameMissing ?? (nameFault && textOf(nameFault))}
              onChange={({ currentTarget }) => changes.type('name', currentTarget.value)}
            />
            {conflicts('name')}
          </div>
          <Settings>
            <LogoSetting settings={settings} />
            <LanguageOfAccount changes={changes} notice={conflicts('language')} />
          </Settings>
        </Stack>
      </PageSection>
      <PageSection title={words('money')}>
        <Settings>
          <Currency changes={changes} notice={conflicts('currency')} />
        </Settings>
      </PageSection>
      <PageSection title={words('time')}>
        <Settings>
          <TimeZoneOfAccount changes={changes} notice={conflicts('timezone')} />
          <FirstDay changes={changes} notice={conflicts('week_starts_on')} />
        </Settings>
      </PageSection>
      <PageSection title={words('work')}>
        <Settings>
          <Setting
            title={words('taskResult')}
            about={words('taskResultAbout')}
            save={changes.save('is_task_result_required')}
          >
            {(names) => (
              <Beside notice={conflicts('is_task_result_required')}>
                <Switch
                  {...names}
                  checked={changes.value('is_task_result_required')}
                  onChange={({ currentTarget }) =>
                    changes.change('is_task_result_required', currentTarget.checked)
                  }
                />
              </Beside>
            )}
          </Setting>
          <ChatMinutes name="chat_warn_minutes" changes={changes} conflicts={conflicts} />
          <ChatMinutes name="chat_late_minutes" changes={changes} conflicts={conflicts} />
        </Settings>
      </PageSection>
      <PageSection title={words('hours')} about={words('hoursAbout')}>
        <WorkingHoursEditor
          changes={changes}
          weekStartsOn={changes.value('week_starts_on')}
          notice={conflicts}
        />
      </PageSection>
      <PageSection title={words('kept')} about={words('keptAbout')}>
        <Kept settings={settings} />
      </PageSection>
      <SaveBar
        isDirty={isDirty}
        isPending={changes.isPending}
        error={isDirty && !nameFault ? error : null}
        onDiscard={() => {
          setTried(false)
          changes.drop(typedNames)
        }}
      />
    </form>
  )
}

/** A control with the question whose value stays under it. */
const Beside = ({ notice, children }: { notice: ReactNode; children: ReactNode }) => (
  <div className={styles.control}>
    {children}
    {notice}
  </div>
)

/** Answers a function that asks whose value of a setting stays, where somebody else was faster. */
function useConflicts(settings: SettingsOfAccount, changes: AccountChanges) {
  const words = useTranslations('general')
  const { users } = useBootstrap()
  const textOf = useValueText()
  const author = users.find(({ id }) => id === settings.updated_by)?.name
  return (name: AccountValueName): ReactNode => {
    const theirs = changes.theirs(name)
    if (!theirs) return undefined
    const value = textOf(name, theirs.value)
    return (
      <ConflictNotice
        text={
          author === undefined
            ? words('changedMeanwhile', { value })
            : words('changedBy', { name: author, value })
        }
        keepMine={() => changes.keepMine(name)}
        takeTheirs={() => changes.drop([name])}
      />
    )
  }
}

/** Answers a function that says a value of a setting. */
function useValueText() {
  const words = useTranslations('general')
  const ui = useTranslations('ui')
  const language = useLocale()
  const minutesText = useMinutesText()
  return (name: AccountValueName, value: AccountValues[AccountValueName]): string => {
    if (Array.isArray(value)) return hoursText(value) || words('dayOff')
    if (typeof value === 'boolean') return ui(value ? 'yes' : 'no')
    if (name === 'week_starts_on') return dayName(language, Number(value))
    if (name === 'language') return languages[value as keyof typeof languages]
    if (typeof value === 'number' || value === null) return minutesText(value)
    return name === 'timezone' ? zoneText(language, value) : value
  }
}

interface ChangesOfOne {
  changes: AccountChanges
  notice: ReactNode
}

function LanguageOfAccount({ changes, notice }: ChangesOfOne) {
  const words = useTranslations('general')
  return (
    <Setting
      title={words('language')}
      about={words('languageAbout')}
      save={changes.save('language')}
    >
      {(names) => (
        <Beside notice={notice}>
          <Select
            {...names}
            allowDeselect={false}
            data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
            value={changes.value('language')}
            onChange={(chosen) =>
              chosen && changes.change('language', chosen as AccountValues['language'])
            }
          />
        </Beside>
      )}
    </Setting>
  )
}

/** A choice that is saved once the user has read what comes of it. */
function ConfirmedChoice({
  name,
  data,
  changes,
  notice,
}: ChangesOfOne & { name: 'currency' | 'timezone'; data: { value: string; label: string }[] }) {
  const words = useTranslations('general')
  const [wanted, setWanted] = useState<string>()
  const labelOf = (value: string) => data.find((each) => each.value === value)?.label ?? value
  return (
    <>
      <Setting title={words(name)} about={words(`abouts.${name}`)} save={changes.save(name)}>
        {(names) => (
          <Beside notice={notice}>
            <Select
              {...names}
              searchable
              allowDeselect={false}
              limit={100}
              nothingFoundMessage={words('nothingFound')}
              data={data}
              value={changes.value(name)}
              onChange={(chosen) => {
                if (chosen !== null && chosen !== changes.value(name)) setWanted(chosen)
              }}
            />
          </Beside>
        )}
      </Setting>
      <Confirm
        opened={wanted !== undefined}
        isSafe
        title={words(`changes.${name}`)}
        text={
          <>
            <Text span fw={600} className={styles.wanted}>
              {wanted !== undefined && labelOf(wanted)}
            </Text>
            <span className={styles.wanted}>{words(`stays.${name}`)}</span>
            <span className={styles.wanted}>{words(`follows.${name}`)}</span>
          </>
        }
        action={words('change')}
        onClose={() => setWanted(undefined)}
        onConfirm={() => {
          setWanted(undefined)
          if (wanted !== undefined) changes.change(name, wanted)
        }}
      />
    </>
  )
}

function Currency({ changes, notice }: ChangesOfOne) {
  const language = useLocale()
  const value = changes.value('currency')
  const data = useMemo(() => currencyChoices(language, value), [language, value])
  return <ConfirmedChoice name="currency" data={data} changes={changes} notice={notice} />
}

function TimeZoneOfAccount({ changes, notice }: ChangesOfOne) {
  const language = useLocale()
  const value = changes.value('timezone')
  const data = useMemo(() => zoneChoices(language, value), [language, value])
  return <ConfirmedChoice name="timezone" data={data} changes={changes} notice={notice} />
}

function FirstDay({ changes, notice }: ChangesOfOne) {
  const words = useTranslations('general')
  const language = useLocale()
  return (
    <Setting
      title={words('firstDay')}
      about={words('firstDayAbout')}
      save={changes.save('week_starts_on')}
    >
      {(names) => (
        <Beside notice={notice}>
          <Select
            {...names}
            allowDeselect={false}
            data={[1, 6, 0].map((day) => ({ value: String(day), label: dayName(language, day) }))}
            value={String(changes.value('week_starts_on'))}
            onChange={(chosen) =>
              chosen !== null &&
              changes.change('week_starts_on', Number(chosen) as AccountValues['week_starts_on'])
            }
          />
        </Beside>
      )}
    </Setting>
  )
}

/** The times that are offered, in minutes. */
const waits = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 120, 240, 480, 720, 1440, 2880]

/** Answers a function that says minutes in the greatest unit that divides them. */
function useMinutesText() {
  const words = useTranslations('general')
  const format = useFormatter()
  return (minutes: number | null): string => {
    if (minutes === null) return words('never')
    const [number, unit] =
      minutes % 1440 === 0
        ? [minutes / 1440, 'day']
        : minutes % 60 === 0
          ? [minutes / 60, 'hour']
          : [minutes, 'minute']
    return format.number(number, { style: 'unit', unit, unitDisplay: 'long' })
  }
}

/** When a client has waited so long for an answer that the chat is marked. */
function ChatMinutes({
  name,
  changes,
  conflicts,
}: {
  name: 'chat_warn_minutes' | 'chat_late_minutes'
  changes: AccountChanges
  conflicts: (name: AccountValueName) => ReactNode
}) {
  const words = useTranslations('general')
  const textOf = useMinutesText()
  const [value, warn, late] = [
    changes.value(name),
    changes.value('chat_warn_minutes'),
    changes.value('chat_late_minutes'),
  ]
  const fits = (minutes: number) =>
    name === 'chat_warn_minutes' ? late === null || minutes < late : warn === null || minutes > warn
  // A program may have chosen a time that is not offered here.
  const offered = [...new Set([...waits, ...(value === null ? [] : [value])])]
    .filter(fits)
    .toSorted((one, other) => one - other)
  return (
    <Setting title={words(name)} about={words(`abouts.${name}`)} save={changes.save(name)}>
      {(names) => (
        <Beside notice={conflicts(name)}>
          <Select
            {...names}
            allowDeselect={false}
            data={[
              { value: 'never', label: textOf(null) },
              ...offered.map((minutes) => ({ value: String(minutes), label: textOf(minutes) })),
            ]}
            value={String(value ?? 'never')}
            onChange={(chosen) =>
              chosen !== null && changes.change(name, chosen === 'never' ? null : Number(chosen))
            }
          />
        </Beside>
      )}
    </Setting>
  )
}

/** How long the server keeps things, with the names by which the operator sets it. */
function Kept({ settings: { bin_days, event_days } }: { settings: SettingsOfAccount }) {
  const words = useTranslations('general')
  const rows = [
    { title: words('bin'), text: words('days', { number: bin_days }), name: 'BIN_DAYS' },
    {
      title: words('log'),
      text: event_days === 0 ? words('forEver') : words('days', { number: event_days }),
      name: 'EVENT_DAYS',
    },
  ]
  return (
    <dl className={styles.kept}>
      {rows.map(({ title, text, name }) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>
            {text} <code>{name}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}
