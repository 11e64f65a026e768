import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useBootstrap } from '../features/bootstrap/bootstrap.ts'
import { Shell } from '../shell/shell.tsx'
import { Rows } from '../ui/states.tsx'
import { isLanguage } from '../words/languages.ts'
import { Words } from '../words/words.tsx'

/** Every screen stands in the shell, in the language of the user. */
export function Root() {
  return (
    <Suspense>
      <InLanguage />
    </Suspense>
  )
}

function InLanguage() {
  const { me } = useBootstrap()
  const language = isLanguage(me.lang) ? me.lang : 'en'
  return (
    <Words language={language} timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}>
      <Shell>
        <Suspense fallback={<Rows />}>
          <Outlet />
        </Suspense>
      </Shell>
    </Words>
  )
}
