import { SegmentedControl, Select, Switch } from '@mantine/core'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { useChangePreferences, usePreferences } from '../../crm/preferences.ts'
import type { Preferences as All } from '../../crm/preferences.ts'
import { PageFrame, PageSection } from '../../ui/page.tsx'
import { Setting, Settings } from '../../ui/setting.tsx'

/** How the user likes the application. Each choice is saved and works at once. */
export function PreferencesPage() {
  const words = useTranslations('preferences')
  return (
    <PageFrame title={words('title')} about={words('about')}>
      <PageSection title={words('look')}>
        <Settings>
          <Choice name="theme" values={['light', 'dark', 'system']} />
          <Choice name="density" values={['compact', 'normal', 'roomy']} />
          <OnOff name="rail_pinned" />
          <OnOff name="reduced_motion" />
        </Settings>
      </PageSection>
      <PageSection title={words('time')}>
        <Settings>
          <Choice
            name="date_format"
            values={['language', 'day_first', 'month_first', 'iso']}
            isLong
          />
          <TimeZone />
        </Settings>
      </PageSection>
      <PageSection title={words('start')}>
        <Settings>
          <StartPage />
        </Settings>
      </PageSection>
      <PageSection title={words('keys')}>
        <Settings>
          <OnOff name="shortcuts" />
          <OnOff name="enter_sends" />
        </Settings>
      </PageSection>
      <PageSection title={words('acting')}>
        <Settings>
          <Delay />
        </Settings>
      </PageSection>
    </PageFrame>
  )
}

type Names = Parameters<Parameters<typeof Setting>[0]['children']>[0]
type Chosen = 'theme' | 'density' | 'date_format'
type Switched = 'rail_pinned' | 'reduced_motion' | 'shortcuts' | 'enter_sends'
type Named = Chosen | Switched | 'time_zone' | 'start_page' | 'delayed_action_seconds'

/** The setting of one preference; `children` draws the control of its value. */
function Preference<Name extends Named>({
  name,
  children,
}: {
  name: Name
  children: (value: All[Name], change: (value: All[Name]) => void, names: Names) => ReactNode
}) {
  const words = useTranslations('preferences')
  const preferences = usePreferences()
  const { mutate, ...save } = useChangePreferences()
  // The union instead of the type parameter, which the types of the texts do not follow.
  const key: Named = name
  return (
    <Setting title={words(`names.${key}`)} about={words(`abouts.${key}`)} save={save}>
      {(names) => children(preferences[name], (value) => mutate({ [name]: value }), names)}
    </Setting>
  )
}

/** One of a few values, side by side; `isLong` under each other in a list. */
function Choice({
  name,
  values,
  isLong = false,
}: {
  name: Chosen
  values: All[Chosen][]
  isLong?: boolean
}) {
  const words = useTranslations('preferences')
  const data = values.map((value) => ({ value, label: words(`values.${value}`) }))
  return (
    <Preference name={name}>
      {(value, change, names) =>
        isLong ? (
          <Select
            {...names}
            w={240}
            allowDeselect={false}
            data={data}
            value={value}
            onChange={(chosen) => chosen && change(chosen)}
          />
        ) : (
          <SegmentedControl
            {...names}
            data={data}
            value={value}
            onChange={(chosen) => change(chosen)}
          />
        )
      }
    </Preference>
  )
}

const OnOff = ({ name }: { name: Switched }) => (
  <Preference name={name}>
    {(value, change, names) => (
      <Switch
        {...names}
        checked={value}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
    )}
  </Preference>
)

/** The times that are offered, in seconds. */
const delays = [0, 5, 10, 30, 60]

/** How long an act can be taken back that the server takes none back of. */
function Delay() {
  const words = useTranslations('preferences')
  const textOf = (seconds: number) =>
    seconds === 0 ? words('atOnce') : words('seconds', { count: seconds })
  return (
    <Preference name="delayed_action_seconds">
      {(value, change, names) => (
        <Select
          {...names}
          w={240}
          allowDeselect={false}
          // A program may have chosen a time that is not offered here.
          data={[...new Set([...delays, value])]
            .toSorted((one, other) => one - other)
            .map((seconds) => ({ value: String(seconds), label: textOf(seconds) }))}
          value={String(value)}
          onChange={(chosen) => chosen && change(Number(chosen))}
        />
      )}
    </Preference>
  )
}

/** The screen at the bare address of Kontor: the board, one pipeline, or another one. */
function StartPage() {
  const words = useTranslations('preferences')
  const shell = useTranslations('shell')
  const { pipelines } = useBootstrap()
  const known = [
    { value: '/leads', label: words('lastPipeline') },
    ...pipelines
      .filter(({ is_archive }) => !is_archive)
      .map(({ id, name }) => ({
        value: `/leads/p/${id}`,
        label: words('onePipeline', { pipeline: name }),
      })),
    { value: '/home', label: shell('home') },
    { value: '/notifications', label: shell('notifications') },
  ]
  return (
    <Preference name="start_page">
      {(value, change, names) => (
        <Select
          {...names}
          w={240}
          allowDeselect={false}
          // A program may have chosen an address that is not offered here.
          data={
            known.some((each) => each.value === value) ? known : [...known, { value, label: value }]
          }
          value={value}
          onChange={(chosen) => chosen && change(chosen)}
        />
      )}
    </Preference>
  )
}

/** The zone of the account, unless the user works in another one. */
function TimeZone() {
  const words = useTranslations('preferences')
  const { account } = useBootstrap()
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), [])
  const shown = (zone: string) => zone.replaceAll('_', ' ')
  return (
    <Preference name="time_zone">
      {(value, change, names) => (
        <Select
          {...names}
          w={240}
          searchable
          allowDeselect={false}
          limit={100}
          nothingFoundMessage={words('noZone')}
          data={[
            { value: '', label: words('accountZone', { zone: shown(account.timezone) }) },
            ...[...new Set([...(value === null ? [] : [value]), ...zones])].map((zone) => ({
              value: zone,
              label: shown(zone),
            })),
          ]}
          value={value ?? ''}
          onChange={(chosen) => chosen !== null && change(chosen === '' ? null : chosen)}
        />
      )}
    </Preference>
  )
}
