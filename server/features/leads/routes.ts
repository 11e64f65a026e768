import { recordRoutes } from '../../records/routes.ts'
import type { App, Kontor } from '../../kontor.ts'
import { leads } from './leads.ts'
import { Lead, LeadChange, LeadQuery, NewLead, OneLeadChange } from './schema.ts'

export function leadRoutes(app: App, kontor: Kontor): void {
  recordRoutes(app, kontor, leads, {
    record: Lead,
    query: LeadQuery,
    draft: NewLead,
    change: LeadChange,
    oneChange: OneLeadChange,
    // The singular stands in the specification beside the plural.
    listedAt: ['/api/v4/lead'],
  })
}
