import { Type } from 'typebox'

const Letter = Type.Optional(Type.Union([Type.Literal('A'), Type.Literal('G'), Type.Literal('M'), Type.Literal('D')]))
const OfRecords = Type.Optional(Type.Object({ view: Letter, edit: Letter, add: Letter, delete: Letter, export: Letter }))

/** What a user may do, as it is said: what is left out is denied (entities reference, rights object). */
export const SaidRights = Type.Object({
  leads: OfRecords,
  contacts: OfRecords,
  companies: OfRecords,
  tasks: Type.Optional(Type.Object({ edit: Letter, delete: Letter })),
  mail_access: Type.Optional(Type.Boolean()),
  catalog_access: Type.Optional(Type.Boolean()),
})
