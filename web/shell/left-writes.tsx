import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { warnWith } from '../ui/toast-actions.tsx'
import { allWaiting } from '../data/waiting.ts'

/** Sends what earlier pages left unsent, once; says which records ask for an answer before that. */
export function useLeftWrites(): void {
  const words = useTranslations('shell')
  const navigate = useNavigate()
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    if (allWaiting().length === 0) return
    void import('../features/card/left.ts').then(({ sendLeftWrites }) =>
      sendLeftWrites(({ type, id, name }) =>
        warnWith(words('unsent', { name: name || `#${id}` }), words('unsentText'), {
          text: words('open'),
          run: () => void navigate({ to: '/$type/$id', params: { type, id: String(id) } }),
        }),
      ),
    )
  }, [words, navigate])
}
