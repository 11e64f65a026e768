import { useMediaQuery } from '@mantine/hooks'

/** Whether the window is as narrow as a phone's (theme.ts), from the first drawing on. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 56.25em)', undefined, { getInitialValueInEffect: false })
