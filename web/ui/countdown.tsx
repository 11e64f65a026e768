import { Text, VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'

/** The time until `until` (Unix seconds): "Valid for 17:42". Spoken at the start and at ten seconds only. */
export function Countdown({ until }: { until: number }) {
  const words = useTranslations('ui')
  const [left, setLeft] = useState(() => secondsUntil(until))
  useEffect(() => {
    setLeft(secondsUntil(until))
    const timer = setInterval(() => setLeft(secondsUntil(until)), 1000)
    return () => clearInterval(timer)
  }, [until])
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  const text = left > 0 ? words('expiresIn', { time }) : words('expired')
  return (
    <>
      <Text span size="xs" c={left > 0 ? 'dimmed' : 'danger'} className="numbers" aria-hidden>
        {text}
      </Text>
      <VisuallyHidden role="status">{left === 10 || left === 0 ? text : ''}</VisuallyHidden>
    </>
  )
}

const secondsUntil = (until: number) => Math.max(0, Math.round(until - Date.now() / 1000))
