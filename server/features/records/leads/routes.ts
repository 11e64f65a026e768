import type { App, Kontor } from '../../../kontor.ts'
import { recordRoutes } from '../../../records/routes.ts'
import { keepingFiles } from '../../activity/notes/notes.ts'
import { changeOrAcceptLeads } from '../unsorted/unsorted.ts'
import { createLeads, deleteLeads, leads } from './leads.ts'
import { Lead, LeadChange, LeadQuery, NewLead, OneLeadChange } from './schema.ts'
import type { LeadDraft } from './schema.ts'

export function leadRoutes(app: App, kontor: Kontor): void {
  const keepFiles = keepingFiles(kontor)
  recordRoutes<LeadDraft>(
    app,
    kontor,
    leads,
    {
      Shown: Lead,
      Query: LeadQuery,
      New: NewLead,
      Change: LeadChange,
      OneChange: OneLeadChange,
    },
    {
      create: createLeads,
      change: (tx, actor, batch, missing) =>
        changeOrAcceptLeads(tx, actor, batch, keepFiles, missing),
      remove: (tx, actor, id) => deleteLeads(tx, actor, [id]),
    },
    // The interface has the singular path beside the plural (interface: Filtered lists).
    ['/api/v4/lead'],
  )
}
