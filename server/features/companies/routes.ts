import { answerWrite } from '../../access/answer-write.ts'
import { batchAnswer, oneChangeAnswer } from '../../http/hal.ts'
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
import { oneRecordAnswer, sendOneRecord, sendRecords } from '../../records/lists/read.ts'
import { requireRight } from '../../access/record-rights.ts'
import { deleteRecord, restoreRecord } from '../../records/writing/bin.ts'
import { changeCompanies, createCompanies, companies } from './companies.ts'
import { Company, CompanyChange, CompanyQuery, NewCompany, OneCompanyChange } from './schema.ts'
import type { CompanyDraft } from './schema.ts'

const path = '/api/v4/companies'
const user = { access: 'user' } as const
const adding = { ...user, right: { type: 'companies', action: 'add' } } as const
const editing = { ...user, right: { type: 'companies', action: 'edit' } } as const

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
    { config: adding, schema: createDocumented<CompanyDraft>('companies', NewCompany) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'companies', await createCompanies(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    { config: editing, schema: changeDocumented<CompanyDraft>('companies', CompanyChange) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'companies', await changeCompanies(tx, actor, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config: editing,
      schema: oneChangeDocumented<CompanyDraft>('companies', CompanyChange, OneCompanyChange),
    },
    answerWrite(database, async (tx, { actor, base, body }) =>
      oneChangeAnswer(base, 'companies', await changeCompanies(tx, actor, body, 'notFound')),
    ),
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
    answerWrite(database, async (tx, request) => {
      await restoreRecord(tx, request.actor, companies, request.params.id)
      return oneRecordAnswer(tx, request, companies, request.params.id)
    }),
  )
}
