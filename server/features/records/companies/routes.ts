import type { App, Kontor } from '../../../kontor.ts'
import { recordRoutes } from '../../../records/routes.ts'
import { deleteRecord } from '../../../records/writing/bin.ts'
import { changeCompanies, createCompanies, companies } from './companies.ts'
import { Company, CompanyChange, CompanyQuery, NewCompany, OneCompanyChange } from './schema.ts'
import type { CompanyDraft } from './schema.ts'

export function companyRoutes(app: App, kontor: Kontor): void {
  recordRoutes<CompanyDraft>(
    app,
    kontor,
    companies,
    {
      Shown: Company,
      Query: CompanyQuery,
      New: NewCompany,
      Change: CompanyChange,
      OneChange: OneCompanyChange,
    },
    {
      create: createCompanies,
      change: changeCompanies,
      remove: (tx, actor, id) => deleteRecord(tx, actor, companies, id),
    },
  )
}
