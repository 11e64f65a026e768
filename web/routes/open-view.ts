import { useNavigate } from '@tanstack/react-router'
import type { SearchParams } from '../data/search.ts'
import { addressOfView } from '../features/views/views.ts'
import type { View, ViewedScreen } from '../features/views/views.ts'

/** Shows a view: in the place of what the screen has, or on its own screen. Without one, the screen stays as it is. */
export function useOpenView(
  screen: ViewedScreen,
  shown: Record<string, unknown>,
  setSearch: (search: SearchParams) => void,
): (view: View | undefined) => void {
  const navigate = useNavigate()
  return (view) => {
    const { view: _, ...rest } = shown as SearchParams
    if (!view) return setSearch(rest)
    const address = addressOfView(view)
    if (view.screen === screen) return setSearch(address.search)
    void navigate({ to: address.to, search: address.search as never })
  }
}
