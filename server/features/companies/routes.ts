import { sendBatch, sendOneChanged } from '../../http/hal.ts'
import type { App, Kontor } from '../../kontor.ts'
import {
  changeDocumented,
  createDocumented,
  deleteDocumented,
  listDocumented,
  oneChangeDocumented,
  oneDocumented,
  restoreDocumented,
} from '../../records/documented.ts'
import { sendOneRecord, sendRecords } from '../../records/lists/read.ts'
import { requireRight } from '../../access/record-rights.ts'
import { deleteRecord, restoreRecord } from '../../records/writing/bin.ts'
import { changeCompanies, createCompanies, companies } from './companies.ts'
import { Company, CompanyChange, CompanyQuery, NewCompany, OneCompanyChange } from './schema.ts'
import type { CompanyDraft } from './schema.ts'

const path = '/api/v4/companies'
const user = { access: 'user' } as const

export function companyRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    { config: user, schema: listDocumented('companies', CompanyQuery, Company) },
    ({ query }, reply) => sendRecords(reply, database, companies, query),
  )

  app.get(
    `${path}/:id`,
    { config: user, schema: oneDocumented(companies, Company) },
    ({ actor, params, query }, reply) => {
      requireRight(actor, 'companies', 'view')
      return sendOneRecord(reply, database, companies, params.id, query.with)
    },
  )

  app.post(
    path,
    { config: user, schema: createDocumented<CompanyDraft>('companies', NewCompany) },
    async ({ actor, body }, reply) => {
      const created = await database.transaction((tx) => createCompanies(tx, actor, body))
      return sendBatch(reply, 'companies', created)
    },
  )

  app.patch(
    path,
    { config: user, schema: changeDocumented<CompanyDraft>('companies', CompanyChange) },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) => changeCompanies(tx, actor, body))
      return sendBatch(reply, 'companies', changed)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: user,
      schema: oneChangeDocumented<CompanyDraft>('companies', CompanyChange, OneCompanyChange),
    },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) =>
        changeCompanies(tx, actor, body, 'notFound'),
      )
      return sendOneChanged(reply, 'companies', changed)
    },
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented('companies') },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteRecord(tx, actor, companies, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented('companies', Company) },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => restoreRecord(tx, actor, companies, id))
      return sendOneRecord(reply, database, companies, id)
    },
  )
}
