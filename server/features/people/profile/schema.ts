import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable } from '../../../http/types.ts'
import { Language } from '../users/schema.ts'

const closed = { additionalProperties: false }

export const Profile = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  phone_number: Nullable(Type.String()),
  lang: Language,
})
export type Profile = Static<typeof Profile>

export const ProfileChange = Type.Object(
  {
    name: Type.Optional(Name(50)),
    phone_number: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
    lang: Type.Optional(Language),
  },
  { ...closed, minProperties: 1 },
)
export type ProfileChange = Static<typeof ProfileChange>

/** How a user likes the web application. Each property has a default (`defaults` of profile.ts). */
export const Preferences = Type.Object(
  {
    theme: Type.Enum(['light', 'dark', 'system']),
    density: Type.Enum(['compact', 'normal', 'roomy']),
    start_page: Type.String({
      maxLength: 200,
      // A path of the application and never another site: browsers read `//` and `/\` as a host.
      pattern: String.raw`^/(?:[!-.0-\[\]-~][!-\[\]-~]*)?$`,
      description: 'The path that / leads to',
    }),
    shortcuts: Type.Boolean(),
    enter_sends: Type.Boolean({ description: 'Whether Enter sends a message' }),
    sounds: Type.Boolean(),
    reduced_motion: Type.Boolean({ description: 'True: also where the browser does not ask' }),
    date_format: Type.Enum(['language', 'day_first', 'month_first', 'iso'], {
      description: '`language`: as usual in the language of the user',
    }),
    time_zone: Nullable(
      Type.String({ maxLength: 64, description: 'Europe/Riga; null: that of the account' }),
    ),
    delayed_action_seconds: Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'How long an action can be taken back; 0: it is done at once',
    }),
    rail_pinned: Type.Boolean(),
    first_steps: Type.Boolean({ description: 'Whether the start page offers them' }),
  },
  closed,
)
export type Preferences = Static<typeof Preferences>

export const PreferencesChange = Type.Partial(Preferences, { ...closed, minProperties: 1 })
export type PreferencesChange = Static<typeof PreferencesChange>
