import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { RecordCard } from '../../../server/features/application/cards/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { Deals } from './deals.tsx'
import styles from './links.module.css'
import { People } from './people.tsx'
import { Products } from './products.tsx'
import { LinksProvider, useShownLists } from './context.ts'
import type { LinksContext } from './context.ts'

/**
 * The links of a card as sections: to see, to find and make others, to unlink. `open` shows another
 * record; `changed` reads the card again after a write. A card in the bin shows its links to read.
 */
export function LinkedRecords({
  card,
  type,
  vocabulary,
  mayEdit,
  open,
  changed,
  changedBy,
}: {
  card: RecordCard
  type: RecordType
  vocabulary: Bootstrap
  mayEdit: boolean
  open: (type: RecordType, id: number) => void
  changed: () => Promise<void>
  changedBy: LinksContext['changedBy']
}) {
  const { lists, act } = useShownLists(card, changed)
  const owner = { type, id: card.record.id }
  const isHolder = type === 'leads' || type === 'customers'
  const hasCustomers =
    vocabulary.account.customers_mode !== 'disabled' || lists.customers.items.length > 0
  return (
    <LinksProvider value={{ owner, lists, vocabulary, mayEdit, open, act, changed, changedBy }}>
      <div className={styles.all}>
        {type !== 'contacts' && <People list="contacts" />}
        {type !== 'companies' && <People list="companies" />}
        {!isHolder && <Deals list="leads" />}
        {!isHolder && hasCustomers && <Deals list="customers" />}
        <Products />
      </div>
    </LinksProvider>
  )
}
