// Shared by tests of unsorted items.
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import type { TestAccount, TestUser } from './account.ts'
import { client } from './client.ts'
import type { Answer, Client } from './client.ts'
import { phone } from './complex.ts'
import { mainPipeline } from './leads.ts'
import type { TestPipeline } from './leads.ts'

export const unsorted = '/api/v4/leads/unsorted'

export type Category = 'sip' | 'forms'

const metadata = {
  sip: { phone: '+10000000001', called_at: 1_700_000_000, duration: 30 },
  forms: { form_id: 'cb', form_name: 'Call back', ip: '192.0.2.9' },
}

let count = 0

/** An item with a name of its own at its source. */
export const itemOf = (category: Category, draft: object = {}) => ({
  source_name: 'The source',
  source_uid: `request-${++count}`,
  metadata: metadata[category],
  ...draft,
})

/** A lead, a contact and a company. */
export const threeParts = () => ({
  leads: [{ name: 'A lead', price: 5 }],
  contacts: [{ name: 'Ann', custom_fields_values: [phone('+10000000002')] }],
  companies: [{ name: 'Acme' }],
})

export interface Added {
  uid: string
  request_id: string
  lead: number
  contact: number
  company: number
}

interface Shown {
  uid: string
  request_id: string
  _embedded: Record<'leads' | 'contacts' | 'companies', { id: number }[]>
}

export function addedIn({ status, body }: Answer): Added[] {
  if (status !== 200) throw new Error(`the items were refused: ${JSON.stringify(body)}`)
  return body._embedded.unsorted.map(({ uid, request_id, _embedded }: Shown) => ({
    uid,
    request_id,
    lead: _embedded.leads[0]?.id,
    contact: _embedded.contacts[0]?.id,
    company: _embedded.companies[0]?.id,
  }))
}

/** Adds items of a category. Answers them in the order of the drafts. */
export const addItems = async (api: Client, category: Category, drafts: object[]) =>
  addedIn(
    await api.post(
      `${unsorted}/${category}`,
      drafts.map((draft) => itemOf(category, draft)),
    ),
  )

/** Adds an item, with three parts unless the draft says otherwise. */
export async function addItem(
  api: Client,
  draft: object = { _embedded: threeParts() },
  category: Category = 'forms',
): Promise<Added> {
  const [added] = await addItems(api, category, [draft])
  return added!
}

export const accept = (api: Client, { uid }: { uid: string }, body?: object) =>
  api.post(`${unsorted}/${uid}/accept`, body)

export const decline = (api: Client, { uid }: { uid: string }, body?: object) =>
  api.delete(`${unsorted}/${uid}/decline`, body)

/** The uids of a list, page by page. */
export async function uidsIn(api: Client, query = ''): Promise<string[]> {
  const uids: string[] = []
  for (let next: string | undefined = `${unsorted}?${query}`; next;) {
    const { status, body }: Answer = await api.get(next)
    if (status !== 200) throw new Error(`${next} answered ${status}: ${JSON.stringify(body)}`)
    uids.push(...body._embedded.unsorted.map(({ uid }: { uid: string }) => uid))
    next = body._links.next?.href
  }
  return uids
}

/** The filter of leads that names the unsorted status of a pipeline. */
export const inUnsorted = ({ id, unsorted: status }: TestPipeline) =>
  `filter[statuses][0][pipeline_id]=${id}&filter[statuses][0][status_id]=${status}`

const levels = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const

/** A user with all rights to records, and these to the unsorted status of a pipeline. */
export async function addSorter(
  account: TestAccount,
  open: { view?: 'A' | 'D'; edit?: 'A' | 'D' },
  rights: object = {},
  pipeline?: TestPipeline,
): Promise<TestUser> {
  const { id: pipeline_id, unsorted: status_id } = pipeline ?? (await mainPipeline(account))
  const all = { leads: levels, contacts: levels, companies: levels }
  const status = {
    entity_type: 'leads' as const,
    pipeline_id,
    status_id,
    rights: { view: 'D' as const, edit: 'D' as const, delete: 'D' as const, ...open },
  }
  return account.addUser({ rights: { ...all, status_rights: [status], ...rights } })
}

/** A user's client through the integration of the account. */
export async function through({ id, kontor, integration }: TestAccount, user: TestUser) {
  const grant = {
    accountId: id,
    userId: user.id,
    clientId: integration.client_id,
    at: kontor.now(),
    expires_at: kontor.now() + 86_400,
  }
  return client(
    kontor,
    await kontor.database.transaction((tx) => issueLongLivedToken(tx, kontor, grant)),
  )
}
