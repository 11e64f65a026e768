import { useEffect } from 'react'
import { onNews, onReturn } from '../../data/live.ts'
import type { ElementStore } from './element-store.ts'

/** Changes that come within so many milliseconds are read together. */
const pauseMs = 300

/**
 * Keeps the elements of a catalog as others change them. Of linked elements alone (`isHeard` is false) the stream does
 * not tell: they are read when the page is shown again.
 */
export function useLiveElements(store: ElementStore, isHeard: boolean): void {
  useEffect(() => {
    let waiting: Set<number> | 'all' = new Set()
    let timer: ReturnType<typeof setTimeout> | undefined
    const want = (id: number | 'all') => {
      if (id === 'all') waiting = 'all'
      else if (waiting !== 'all') waiting.add(id)
      timer ??= setTimeout(() => {
        timer = undefined
        const ids = waiting === 'all' ? waiting : [...waiting]
        waiting = new Set()
        // The next change tries again.
        void store.refresh(ids).catch(() => undefined)
      }, pauseMs)
    }
    const unhear = onNews(({ name, data }) => {
      if (name === 'reset') want('all')
      if (name === 'change' && data['entity_type'] === 'catalog_elements')
        want(Number(data['entity_id']))
    })
    const unreturn = onReturn(() => {
      if (store.state().kind === 'failed') void store.load()
      else want('all')
    })
    const onVisible = () => {
      if (!document.hidden && !isHeard) want('all')
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      unhear()
      unreturn()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [store, isHeard])
}
