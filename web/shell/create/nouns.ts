// The nouns that the create menu offers, in its order. Each has the letter after `C`.
import { Building2, CircleUser, Handshake, ListTodo, UserRound } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useBootstrap } from '../../crm/bootstrap.ts'

export type Noun = 'lead' | 'contact' | 'company' | 'customer' | 'task'

export interface Creation {
  noun: Noun
  /** The text that its first field begins with. */
  text?: string
}

interface Creatable {
  noun: Noun
  letter: string
  icon: LucideIcon
}

const nouns: Creatable[] = [
  { noun: 'lead', letter: 'l', icon: Handshake },
  { noun: 'contact', letter: 'c', icon: UserRound },
  { noun: 'company', letter: 'o', icon: Building2 },
  { noun: 'customer', letter: 'b', icon: CircleUser },
  { noun: 'task', letter: 't', icon: ListTodo },
]

/** The nouns that the user may create something of. */
export function useCreatable(): Creatable[] {
  const { me, account } = useBootstrap()
  const mayAdd = (type: 'leads' | 'contacts' | 'companies') =>
    me.is_admin || me.rights[type].add !== 'D'
  const may: Record<Noun, boolean> = {
    lead: mayAdd('leads'),
    contact: mayAdd('contacts'),
    company: mayAdd('companies'),
    // Customers follow the rights to leads.
    customer: mayAdd('leads') && account.customers_mode !== 'disabled',
    task: true,
  }
  return nouns.filter(({ noun }) => may[noun])
}
