// Shared by tests of complex creation.
import sql from 'sql-template-tag'
import { issueLongLivedToken } from '../server/features/programs/oauth/oauth.ts'
import { newAccount } from './account.ts'
import type { TestUser } from './account.ts'
import { client } from './client.ts'
import type { Answer, Client } from './client.ts'
import { newPair } from './oauth.ts'
import { readRecord } from './records.ts'

export const path = '/api/v4/leads/complex'

export interface Element {
  id: number
  contact_id: number | null
  company_id: number | null
  request_id: string[]
  merged: boolean
}

/** Creates leads with contacts and companies. Answers the elements. */
export async function addComplex(api: Client, ...items: object[]): Promise<Element[]> {
  const { status, body }: Answer = await api.post(path, items)
  if (status !== 200) throw new Error(`the leads were refused: ${JSON.stringify(body)}`)
  return body
}

/** An item with a contact, a company or both, new ones or `{ id }`. */
export const item = (
  contact?: object,
  company?: object,
  lead: object = {},
  embedded: object = {},
) => ({
  ...lead,
  _embedded: {
    ...embedded,
    ...(contact && { contacts: [contact] }),
    ...(company && { companies: [company] }),
  },
})

export const phone = (...values: string[]) => ({
  field_code: 'PHONE',
  values: values.map((value) => ({ value })),
})
export const email = (...values: string[]) => ({
  field_code: 'EMAIL',
  values: values.map((value) => ({ value })),
})
export const person = (...fields: object[]) => ({ name: 'Ann', custom_fields_values: fields })

/** The texts in a record's fields, by field code. */
export function textsOf(record: {
  custom_fields_values: { field_code: string; values: { value: string }[] }[] | null
}) {
  return Object.fromEntries(
    (record.custom_fields_values ?? []).map(({ field_code, values }) => [
      field_code,
      values.map(({ value }) => value),
    ]),
  )
}

/** The links that a lead, a contact and a company show. */
export async function linksOf(api: Client, { id, contact_id, company_id }: Element) {
  const ids = (records: { id: number }[]) => records.map((record) => record.id)
  const lead = (await readRecord(api, 'leads', id, 'with=contacts'))._embedded
  const contact =
    contact_id && (await readRecord(api, 'contacts', contact_id, 'with=leads'))._embedded
  const company =
    company_id && (await readRecord(api, 'companies', company_id, 'with=leads,contacts'))._embedded
  return {
    lead: {
      contacts: lead.contacts.map((each: { id: number; is_main: boolean }) => [
        each.id,
        each.is_main,
      ]),
      companies: ids(lead.companies),
    },
    ...(contact && { contact: { leads: ids(contact.leads), companies: ids(contact.companies) } }),
    ...(company && { company: { leads: ids(company.leads), contacts: ids(company.contacts) } }),
  }
}

/**
 * An account whose integration has duplicate control in the main pipeline. `api` is the
 * integration's client.
 */
export async function withControl() {
  const account = await newAccount()
  const { client_id } = account.integration
  const main = await account.kontor.database.row<{ id: number }>(
    sql`select id from pipelines where account_id = ${account.id} and is_main`,
  )
  const control = async (...duplicate_pipelines: number[]) =>
    account.api.send('PUT', `/web/v1/integrations/${client_id}/installation`, {
      duplicate_pipelines,
    })
  await control(main!.id)
  const { access_token } = await newPair(account, account.integration)
  /** A user's client through the integration. */
  const through = async ({ id: userId }: TestUser) => {
    const { kontor } = account
    const grant = {
      accountId: account.id,
      userId,
      clientId: client_id,
      at: kontor.now(),
      expires_at: kontor.now() + 86_400,
    }
    return client(
      kontor,
      await kontor.database.transaction((tx) => issueLongLivedToken(tx, kontor, grant)),
    )
  }
  return {
    account,
    api: client(account.kontor, access_token),
    pipeline: main!.id,
    control,
    through,
  }
}
