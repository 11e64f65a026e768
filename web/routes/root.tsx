import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { useBootstrap } from '../crm/bootstrap.ts'
import { TextsOfValues, useMakeValueTexts } from '../crm/fields/texts.ts'
import { usePreferences } from '../crm/preferences.ts'
import { useLook } from '../shell/look.ts'
import { Shell } from '../shell/shell.tsx'
import { DateOrders } from '../ui/day.ts'
import { Rows } from '../ui/states.tsx'
import { isLanguage } from '../words/languages.ts'
import { Words } from '../words/words.tsx'
import { useDestinations } from './destinations.ts'
import { Started, Waiting } from '../ui/waiting.tsx'

/** Every screen stands in the shell, in the language of the user. */
export function Root() {
  return (
    <Suspense fallback={<Waiting />}>
      <InLanguage />
    </Suspense>
  )
}

function InLanguage() {
  const { me, account } = useBootstrap()
  const { time_zone, date_format } = usePreferences()
  useLook()
  const language = isLanguage(me.lang) ? me.lang : 'en'
  return (
    <Words language={language} timeZone={time_zone ?? account.timezone}>
      <DateOrders value={date_format}>
        <InShell>
          <Suspense fallback={<Rows />}>
            <Outlet />
            <Started />
          </Suspense>
        </InShell>
      </DateOrders>
    </Words>
  )
}

/** The shell with the pages that it leads to. */
function InShell({ children }: { children: ReactNode }) {
  const destinations = useDestinations()
  const texts = useMakeValueTexts()
  return (
    <TextsOfValues value={texts}>
      <Shell destinations={destinations}>{children}</Shell>
    </TextsOfValues>
  )
}
