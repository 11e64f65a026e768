import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { usePreferences } from '../crm/preferences.ts'
import { switchSingleKeys } from './keyboard.tsx'

/**
 * Gives the whole page the look and the keys of the user's preferences. At the start the server has
 * written them on the root (server/web/page.ts).
 */
export function useLook(): void {
  const { theme, density, reduced_motion, shortcuts } = usePreferences()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const wanted = theme === 'system' ? 'auto' : theme
  useEffect(() => {
    if (colorScheme !== wanted) setColorScheme(wanted)
  }, [colorScheme, setColorScheme, wanted])
  useEffect(() => {
    document.documentElement.dataset['density'] = density
  }, [density])
  useEffect(() => {
    if (reduced_motion) document.documentElement.dataset['motion'] = 'reduced'
    else delete document.documentElement.dataset['motion']
  }, [reduced_motion])
  useEffect(() => switchSingleKeys(shortcuts), [shortcuts])
}
