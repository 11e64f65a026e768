import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Sparkles } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useLiveState } from '../live.ts'
import { isOutdated } from './build.ts'
import styles from './shell.module.css'

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
    if (state.kind === 'open' && state.isReturn) void isOutdated().then(setNew)
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
