import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { forbidUnless } from '../../entities/rights.ts'
import { embedTags } from '../../entities/tags.ts'
import { readBatch, readChange } from '../../http/batch.ts'
import {
  AddedAnswer,
  ChangedAnswer,
  hal,
  nothing,
  IdParams,
  OneChangedAnswer,
  Page,
  sendBatch,
  sendOneChanged,
  sendRecord,
} from '../../http/hal.ts'
import { walk } from '../../http/paging.ts'
import { compile } from '../../http/validate.ts'
import type { Check } from '../../http/validate.ts'
import type { Kontor } from '../../kontor.ts'
import { changeLeads, createLeads } from './leads.ts'
import { embedInLead, leadList, oneLead } from './queries.ts'
import { Lead, LeadChange, LeadQuery, NewLead, OneLeadChange } from './schema.ts'

/** Leads of one request at most (decision: batch size). */
const most = 250

export function leadRoutes(app: App, { config: { unknownKeys }, database }: Kontor): void {
  const newLead = compile(NewLead, { unknownKeys }) as Check<NewLead>
  const leadChange = compile(LeadChange, { unknownKeys }) as Check<LeadChange>

  app.get(
    '/api/v4/leads',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List leads',
        tags: ['leads'],
        querystring: LeadQuery,
        response: { 200: hal('A page of leads', Page('leads', Lead)), 204: nothing },
      },
    },
    ({ actor, base, query }, reply) => {
      forbidUnless(actor, 'leads', 'view')
      return walk(reply, { collection: 'leads' }, async (seek) =>
        embedTags(database, actor, await database.list(leadList(actor, base, query, seek)), embedInLead),
      )
    },
  )

  app.get(
    '/api/v4/leads/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read a lead',
        tags: ['leads'],
        params: IdParams,
        response: { 200: hal('The lead', Lead), 204: nothing },
      },
    },
    async ({ actor, base, params }, reply) => {
      forbidUnless(actor, 'leads', 'view')
      const found = await database.row<{ json: string | null; tags: string }>(oneLead(actor, base, params.id))
      return sendRecord(reply, found && { json: found.json && embedInLead(found.json, found.tags) })
    },
  )

  app.post(
    '/api/v4/leads',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Create leads',
        tags: ['leads'],
        body: Type.Array(NewLead, { minItems: 1, maxItems: most }),
        response: { 200: hal('The ids of the leads, in the order of the request', AddedAnswer('leads')) },
      },
    },
    async ({ actor, body }, reply) =>
      sendBatch(reply, 'leads', await database.transaction((tx) => createLeads(tx, actor, readBatch(body, newLead, most)))),
  )

  app.patch(
    '/api/v4/leads',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Change leads',
        tags: ['leads'],
        body: Type.Array(LeadChange, { minItems: 1, maxItems: most }),
        response: { 200: hal('The leads, in the order of the request', ChangedAnswer('leads')) },
      },
    },
    async ({ actor, body }, reply) =>
      sendBatch(reply, 'leads', await database.transaction((tx) => changeLeads(tx, actor, readBatch(body, leadChange, most)))),
  )

  app.patch(
    '/api/v4/leads/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Change a lead',
        tags: ['leads'],
        params: IdParams,
        body: OneLeadChange,
        response: { 200: hal('The lead', OneChangedAnswer('leads')) },
      },
    },
    async ({ actor, body, params }, reply) =>
      sendOneChanged(
        reply,
        'leads',
        await database.transaction((tx) => changeLeads(tx, actor, readChange(params.id, body, leadChange), 'notFound')),
      ),
  )
}
