import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Sparkles } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLiveState } from '../data/live.ts'
import { isOutdated } from './build.ts'
import styles from './shell.module.css'

/** Milliseconds until the server is asked again that did not answer. */
const againMs = 3000

/**
 * Offers to reload once the server has another build than this page. A new build comes with a restart,
 * which cuts the stream, so the page looks when the stream returns. The next change of the screen
 * reloads by itself.
 */
export function NewBuild() {
  const words = useTranslations('shell')
  const router = useRouter()
  const state = useLiveState()
  const [isNew, setNew] = useState(false)
  useEffect(() => {
    if (state.kind !== 'open') return undefined
    let timer: number | undefined
    let isOver = false
    const look = () =>
      void isOutdated().then((isSo) => {
        if (isOver) return
        if (isSo === undefined) timer = window.setTimeout(look, againMs)
        else setNew(isSo)
      })
    look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [state])
  useEffect(
    () =>
      isNew
        ? router.subscribe('onBeforeNavigate', ({ toLocation, hrefChanged }) => {
            if (hrefChanged) location.assign(toLocation.href)
          })
        : undefined,
    [isNew, router],
  )
  return (
    <div role="status">
      {isNew && (
        <div className={styles.news}>
          <Sparkles size={16} aria-hidden />
          {words('newBuild')}
          <Button size="compact-xs" variant="default" onClick={() => location.reload()}>
            {words('reload')}
          </Button>
        </div>
      )}
    </div>
  )
}
