import { useBootstrap } from '../crm/bootstrap.ts'
import { FirstSteps } from '../features/checklist/first-steps.tsx'
import { useChangePreferences, usePreferences } from '../crm/preferences.ts'
import { settingsAt } from './settings/pages.ts'

/** The first steps of the account, for administrators who have not put them away. */
export function StepsOfAccount({ isLine = false }: { isLine?: boolean }) {
  const { me } = useBootstrap()
  const { first_steps } = usePreferences()
  const { mutate } = useChangePreferences()
  if (!me.is_admin || !first_steps) return undefined
  return (
    <FirstSteps
      isLine={isLine}
      addressOf={(page) => settingsAt(page)}
      onHide={() => mutate({ first_steps: false })}
    />
  )
}
