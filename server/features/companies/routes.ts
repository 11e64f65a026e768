import { recordRoutes } from '../../records/routes.ts'
import type { App, Kontor } from '../../kontor.ts'
import { companies } from './companies.ts'
import { Company, CompanyChange, CompanyQuery, NewCompany, OneCompanyChange } from './schema.ts'

export function companyRoutes(app: App, kontor: Kontor): void {
  const shapes = {
    record: Company,
    query: CompanyQuery,
    draft: NewCompany,
    change: CompanyChange,
    oneChange: OneCompanyChange,
  }
  recordRoutes(app, kontor, companies, shapes)
}
