import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { DrawnList } from '../../features/drawn-lists/drawn-list.tsx'
import {
  createLossReason,
  lossReasonsQuery,
  placeLossReason,
  redrawLossReason,
  removeReason,
} from '../../features/loss-reasons/loss-reasons.ts'

/** The server counts so far. */
const mostUses = 1000

/** Why leads are lost, in the order in which people choose. */
export function LossReasons() {
  const words = useTranslations('lossReasons')
  const query = useQuery(lossReasonsQuery)
  return (
    <DrawnList
      title={words('title')}
      about={words('about')}
      create={words('create')}
      empty={{ title: words('none'), text: words('noneText') }}
      query={query}
      queryKey="loss-reasons"
      nameLength={255}
      usesOf={({ used }) =>
        used > mostUses ? words('moreUses', { number: mostUses }) : words('uses', { number: used })
      }
      deleteText={({ used }) =>
        used > mostUses
          ? words('deleteMore', { number: mostUses })
          : words('deleteText', { number: used })
      }
      add={createLossReason}
      change={redrawLossReason}
      place={placeLossReason}
      remove={removeReason}
    />
  )
}
