import type { Static } from 'typebox'
import { ChosenPassword } from '../../../access/passwords.ts'
import { Type } from '../../../http/type.ts'
import { Name } from '../../../http/types.ts'
import { NewUser } from '../../people/users/schema.ts'

/** The languages of the web application. */
const setupLanguages = ['en', 'ru', 'es', 'pt'] as const
export type SetupLanguage = (typeof setupLanguages)[number]

const businessNames = ['shop', 'services', 'builder'] as const
/** The ready companies, each with stages and fields of its own. */
export type Business = (typeof businessNames)[number]

export const salesProcesses = ['simple', 'long', ...businessNames, 'empty'] as const
export type SalesProcess = (typeof salesProcesses)[number]

export const SetupState = Type.Object({
  is_needed: Type.Boolean({ description: 'Whether the server has no account yet' }),
  needs_code: Type.Boolean({
    description: 'Whether the code in the log of the start is asked for',
  }),
})

export const NewSetup = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 100 })),
  company: Name(255),
  subdomain: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      description: 'By default made of the name of the company',
    }),
  ),
  language: Type.Enum([...setupLanguages]),
  timezone: Type.String({ maxLength: 100, description: 'IANA name' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'Code of ISO 4217' }),
  name: NewUser.properties.name,
  email: NewUser.properties.email,
  password: ChosenPassword,
  sales_process: Type.Enum([...salesProcesses]),
  customers: Type.Enum(['periodicity', 'segments', 'off']),
  with_demo_data: Type.Optional(Type.Boolean()),
})
export type NewSetup = Static<typeof NewSetup>
