// Private to the web application.
import { forbidIntegrations } from '../../../access/actor.ts'
import { one } from '../../../http/body.ts'
import { hal, sendHal } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { changePreferences, changeProfile, readPreferences, readProfile } from './profile.ts'
import { Preferences, PreferencesChange, Profile, ProfileChange } from './schema.ts'

export function profileRoutes(app: App, { database }: Kontor): void {
  const users = { config: { access: 'user' }, onRequest: forbidIntegrations } as const
  const unknownKeys = 'reject'
  const profile = { 200: hal('The profile of the user', Profile) }
  const preferences = { 200: hal('The preferences of the user', Preferences) }

  app.get(
    '/web/v1/profile',
    { ...users, schema: { response: profile } },
    async ({ actor }, reply) => sendHal(reply, await readProfile(database, actor)),
  )

  app.patch(
    '/web/v1/profile',
    { ...users, schema: { body: one(ProfileChange, { unknownKeys }), response: profile } },
    async ({ actor, body }, reply) =>
      sendHal(reply, await database.transaction((tx) => changeProfile(tx, actor, body))),
  )

  app.get(
    '/web/v1/preferences',
    { ...users, schema: { response: preferences } },
    async ({ actor }, reply) => sendHal(reply, await readPreferences(database, actor)),
  )

  app.patch(
    '/web/v1/preferences',
    { ...users, schema: { body: one(PreferencesChange, { unknownKeys }), response: preferences } },
    async ({ actor, body }, reply) =>
      sendHal(reply, await database.transaction((tx) => changePreferences(tx, actor, body))),
  )
}
