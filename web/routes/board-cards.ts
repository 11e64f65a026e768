// Cards over the board: opened and closed, fetched before they are asked for, and where the focus goes after them.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocale } from 'use-intl'
import type { RecordType } from '../../server/records/description.ts'
import { recordTypes } from '../crm/records.ts'
import { focusAgain } from '../features/board/keys.ts'
import type { BoardContext } from '../features/board/context.ts'
import { cardQuery } from '../features/card/store.ts'
import { fetchCardWords, fetchListWords } from '../words/words.tsx'

export type BoardSearch = Record<string, string | string[] | undefined>

export const fetchPanel = () => import('./card-panel.tsx')
/** Milliseconds after which the panel of a card and the list are fetched, when the board is there. */
const idleMs = 1500

/** The record that the search of a board names: `leads-42`. */
export function cardIn(text: unknown): { type: RecordType; id: number } | undefined {
  const [, name, id] = /^([a-z]+)-([1-9]\d{0,15})$/.exec(String(text)) ?? []
  const type = recordTypes.find((each) => each === name)
  return type && { type, id: Number(id) }
}

/** How many steps back the board without a card is. */
interface Depth {
  cardDepth?: number
}

/**
 * Opens cards over the board. The address is that of the card (a mask), the place is that of the board,
 * also after a reload: its filter and its order are in the history of the browser. `isFurther`: Back
 * returns to the card before; `isInstead`: to the board.
 */
export function useShowCard(isOpen: boolean) {
  const navigate = useNavigate()
  const router = useRouter()
  const isClosing = useRef(false)
  if (!isOpen) isClosing.current = false
  const depth = () => (router.state.location.state as Depth).cardDepth ?? 0
  const show = useCallback(
    (
      type: RecordType,
      id: number,
      { isFurther = false, isInstead = false }: { isFurther?: boolean; isInstead?: boolean } = {},
    ) => {
      isClosing.current = false
      const next = isInstead ? depth() : (isFurther ? depth() : 0) + 1
      void navigate({
        to: '.',
        search: ((now: BoardSearch) => ({ ...now, card: `${type}-${id}` })) as never,
        state: { cardDepth: next } as never,
        mask: {
          to: '/$type/$id',
          params: { type, id: String(id) },
          search: {} as never,
        },
        replace: isInstead,
        resetScroll: false,
      })
    },
    // The router is one for the life of the page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [navigate],
  )
  const close = useCallback(() => {
    if (isClosing.current) return
    isClosing.current = true
    if (depth() > 0) return router.history.go(-depth())
    void navigate({
      to: '.',
      search: (({ card: _, ...now }: BoardSearch) => now) as never,
      replace: true,
      resetScroll: false,
    })
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [navigate])
  return { show, close }
}

/** Fetches a card when the pointer or the focus comes near, and its panel and the list when nobody waits. */
export function usePrefetch(): (id: number) => void {
  const client = useQueryClient()
  const language = useLocale()
  useEffect(() => {
    const fetchAll = () =>
      void Promise.all([
        fetchPanel(),
        fetchCardWords(language),
        import('./list.tsx'),
        fetchListWords(language),
      ]).catch(() => undefined)
    const timer = setTimeout(fetchAll, idleMs)
    return () => clearTimeout(timer)
  }, [language])
  return useCallback((id) => void client.prefetchQuery(cardQuery('leads', id)), [client])
}

/** The card of the board that was opened has the focus again when its panel closes. */
export function useFocusBack(board: BoardContext, isOpen: boolean): void {
  const wasOpen = useRef(isOpen)
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) focusAgain(board)
    wasOpen.current = isOpen
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen])
}
