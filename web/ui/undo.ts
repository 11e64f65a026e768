// Offers to take back what was done: one toast each, with one word and one key for all. How something is taken back,
// and for how long that is possible, is up to what was done.
import { useEffect, useMemo, useRef } from 'react'
import type { RefObject } from 'react'
import { useTranslations } from 'use-intl'
import { offer } from './toast-actions.tsx'

interface Details {
  /** When it was done, in milliseconds since 1970, where the offer comes later: with the answer of the server. */
  at?: number
  /** Milliseconds for which the toast is shown. */
  shownMs?: number
  /** A screen on which the key works for so many milliseconds, also without the toast (`useOffersOf`). */
  on?: { screen: object; ms: number }
}

/** Says what was done, with a button that takes it back. Answers how to withdraw the offer. */
export type OfferUndo = (text: string, undo: () => void, details?: Details) => () => void

interface OpenOffer {
  /** Milliseconds since 1970. */
  at: number
  undo: () => void
  /** Whether the key takes it back now. */
  isOffered: () => boolean
  /** Whether it will never be offered again. */
  isOver: () => boolean
}

/** The offers that the key may take. */
let openOffers: OpenOffer[] = []

/** The screens in front, by what names them in offers. */
const inFront = new Set<object>()

function add(own: OpenOffer): () => void {
  openOffers = [...openOffers.filter((each) => !each.isOver()), own]
  return () => {
    openOffers = openOffers.filter((each) => each !== own)
  }
}

const offerWith =
  (word: string): OfferUndo =>
  (text, undo, { at = Date.now(), shownMs = 10_000, on } = {}) => {
    const until = at + (on?.ms ?? 0)
    let isShown = true
    let isTaken = false
    const withdraw = () => {
      leave()
      close()
    }
    const takeBack = () => {
      // A toast can be pressed again while it fades.
      if (isTaken) return
      isTaken = true
      withdraw()
      undo()
    }
    const close = offer(text, word, takeBack, {
      shownMs,
      onClose: () => {
        isShown = false
      },
    })
    const leave = add({
      at,
      undo: takeBack,
      isOffered: () =>
        isShown || (on !== undefined && inFront.has(on.screen) && Date.now() < until),
      isOver: () => !isShown && Date.now() >= until,
    })
    return withdraw
  }

/** Answers the function that offers to take something back, in the user's language. */
export function useOfferUndo(): OfferUndo {
  const words = useTranslations('ui')
  return useMemo(() => offerWith(words('undo')), [words])
}

/** Takes back what was done last of all that can be taken back. Answers whether there was anything. */
export function undoLast(): boolean {
  const [last] = openOffers
    .filter(({ isOffered }) => isOffered())
    .toSorted((one, other) => other.at - one.at)
  last?.undo()
  return last !== undefined
}

/** The key takes back offers of this screen, whose toasts are gone, while `isInFront`. */
export function useOffersOf(screen: object, isInFront: boolean): void {
  useEffect(() => {
    if (!isInFront) return undefined
    inFront.add(screen)
    return () => void inFront.delete(screen)
  }, [screen, isInFront])
}

/**
 * The key takes back what has a button of its own on the page, while that can be pressed. `at`: when it was done, in
 * milliseconds since 1970.
 */
export function useUndoKey(
  button: RefObject<HTMLElement | null>,
  at: number,
  undo: () => void,
): void {
  const latest = useRef(undo)
  latest.current = undo
  useEffect(
    () =>
      add({
        at,
        undo: () => latest.current(),
        isOffered: () => {
          const { current } = button
          return current !== null && !current.matches(':disabled') && !current.closest('[inert]')
        },
        isOver: () => false,
      }),
    [button, at],
  )
}
