// Offers to take back what was done: one toast each, with one word and one key for all. How something is taken back,
// and for how long that is possible, is up to what was done.
import { useEffect, useMemo, useRef } from 'react'
import { useTranslations } from 'use-intl'
import { offer } from './toast-actions.tsx'

interface Times {
  /** Milliseconds for which the toast is shown. */
  shownMs?: number
  /** A screen on which the key works longer than the toast is shown, in milliseconds, until it is left. */
  on?: { screen: object; ms: number }
}

/** Says what was done, with a button that takes it back. Answers how to withdraw the offer. */
export type OfferUndo = (text: string, undo: () => void, times?: Times) => () => void

interface Standing {
  undo: () => void
  /** Milliseconds since 1970, with the toast and without it. */
  shownUntil: number
  until: number
  screen: object | undefined
}

/** The offers that the key takes, the latest last. */
let standing: Standing[] = []

const offerWith =
  (word: string): OfferUndo =>
  (text, undo, { shownMs = 10_000, on } = {}) => {
    const now = Date.now()
    const own: Standing = {
      shownUntil: now + shownMs,
      until: now + Math.max(shownMs, on?.ms ?? 0),
      screen: on?.screen,
      undo() {
        withdraw()
        undo()
      },
    }
    const close = offer(text, word, own.undo, shownMs)
    function withdraw(): void {
      standing = standing.filter((each) => each !== own)
      close()
    }
    standing = [...standing.filter(({ until }) => until > now), own]
    return withdraw
  }

/** Answers the function that offers to take something back, in the user's language. */
export function useOfferUndo(): OfferUndo {
  const words = useTranslations('ui')
  return useMemo(() => offerWith(words('undo')), [words])
}

/** Takes back what was done last and can still be taken back. Answers whether there was anything. */
export function undoLast(): boolean {
  const now = Date.now()
  const last = standing.findLast(({ until }) => until > now)
  last?.undo()
  return last !== undefined
}

/** The key takes back what stands on the page with a button of its own, while it does; undefined where nothing can be. */
export function useUndoKey(undo: (() => void) | undefined): void {
  const latest = useRef(undo)
  latest.current = undo
  const isOffered = undo !== undefined
  useEffect(() => {
    if (!isOffered) return undefined
    const own: Standing = {
      shownUntil: Infinity,
      until: Infinity,
      screen: undefined,
      undo: () => latest.current?.(),
    }
    standing = [...standing, own]
    return () => {
      standing = standing.filter((each) => each !== own)
    }
  }, [isOffered])
}

/** A screen is left: the key takes its offers back for no longer than their toasts are shown. */
export function leaveOffers(screen: object): void {
  for (const each of standing) if (each.screen === screen) each.until = each.shownUntil
}
