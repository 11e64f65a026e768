import { lazy, Suspense } from 'react'
import { useBootstrap } from '../crm/bootstrap.ts'
import { useChangePreferences, usePreferences } from '../crm/preferences.ts'
import { part } from '../data/rest.ts'
import { settingsAt } from './settings/pages.ts'

/** Most people have put them away. */
const FirstSteps = lazy(
  part('first steps', async () => ({
    default: (await import('../features/checklist/first-steps.tsx')).FirstSteps,
  })),
)

/** The first steps of the account, for administrators who have not put them away. */
export function StepsOfAccount({ isLine = false }: { isLine?: boolean }) {
  const { me } = useBootstrap()
  const { first_steps } = usePreferences()
  const { mutate } = useChangePreferences()
  if (!me.is_admin || !first_steps) return undefined
  return (
    <Suspense>
      <FirstSteps
        isLine={isLine}
        addressOf={(page) => settingsAt(page)}
        onHide={() => mutate({ first_steps: false })}
      />
    </Suspense>
  )
}
